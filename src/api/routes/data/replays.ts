import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { admitToQuota } from '../../../store/operators/quotas.ts'
import { type ReplayReport, readReplayReport } from '../../../store/records/replay-reports.ts'
import { createReplay, findReplay, type Replay } from '../../../store/records/replays.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { admins } from '../../access/caller.ts'
import { issuerOf } from '../../access/keys/issuer.ts'
import { notFound, orNotFound } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const Anything = orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()]))

const ReplayShape = strict(
  {
    id: Uuid,
    state: Type.String({ enum: ['running', 'done', 'failed'], description: '`failed`: finished, but not for every connection' }),
    dryRun: Type.Boolean(),
    companyId: orNull(Uuid),
    serviceId: orNull(Uuid),
    requestedBy: Type.String(),
    requestedOn: PlainTimestamp,
    connections: strict({ waiting: Type.Integer(), done: Type.Integer(), skipped: Type.Integer(), failed: Type.Integer() }),
    counts: strict({
      pages: Type.Integer(),
      records: Type.Integer({ description: 'Normalized again' }),
      changed: Type.Integer({ description: 'Records that come out differently' }),
      added: Type.Integer({ description: 'Records that were set aside and no longer have to be' }),
      setAside: Type.Integer({ description: 'Records that cannot be normalized now; what is published of them stays' }),
      withoutPage: Type.Integer({ description: 'Records whose raw page is no longer kept; they stay as they are' }),
      unreadablePages: Type.Integer(),
    }),
    changes: Type.Array(
      strict({
        entity: Type.String(),
        field: Type.String(),
        count: Type.Integer(),
        examples: Type.Array(strict({ recordId: Uuid, before: Anything, after: Anything })),
      }),
    ),
    failures: Type.Array(strict({ connectionId: Uuid, companyId: Uuid, serviceId: Uuid, error: Type.String() })),
  },
  { title: 'Replay' },
)

const ReplayBody = strict({
  companyId: Type.Optional(Uuid),
  serviceId: Type.Optional(Uuid),
  dryRun: Type.Optional(Type.Boolean({ default: true, description: 'Only report what would change' })),
})

const tags = ['Data']

/**
 * Replay routes, for admins: normalize stored raw pages again, first as a dry run of a changed mapping, then to publish
 * it.
 */
export function replayRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [startReplayRoute, getReplayRoute])
}

const startReplayRoute = route(
  {
    method: 'POST',
    url: '/normalized-data/replays',
    scope: 'operations:write',
    roles: admins,
    audit: 'replay.started',
    schema: {
      tags,
      summary: 'Normalize stored raw pages again, without asking any source',
      description: 'For all connections of the instance, or those of one company, one service or both. Nothing changes in a dry run.',
      operationId: 'startReplay',
      body: ReplayBody,
      response: { 202: ReplayShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { companyId = null, serviceId = null, dryRun = true } = request.body
    if (companyId !== null && !(await findCompany(database, instanceId, companyId))) throw notFound('company')
    if (serviceId !== null && !(await findService(database, deps.sync.sources, instanceId, serviceId))) throw notFound('service')
    const { issuedBy } = await issuerOf(database, request.caller)
    const id = newIdFor(request)
    const wanted = { instanceId, id, companyId, serviceId, connectorKey: null, isDryRun: dryRun, requestedBy: issuedBy }
    const replay = await inTransaction(database, async (db) => {
      const isRepeated = (await findReplay(db, instanceId, id)) !== null
      if (!isRepeated) {
        await admitToQuota(db, instanceId, 'replays')
        await createReplay(db, wanted)
      }
      const made = await findReplay(db, instanceId, id)
      if (!isRepeated) await recordChange(db, { instanceId, action: 'replay.started', subject: `replay/${id}`, after: wanted })
      return made
    })
    if (!replay) throw new Error('the replay was not kept')
    reply.code(202)
    return await present(deps, replay)
  },
)

const getReplayRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/replays/:replayId',
    scope: 'operations:read',
    roles: admins,
    schema: {
      tags,
      summary: 'How far a replay is and what it has found',
      operationId: 'getReplay',
      params: strict({ replayId: Uuid }),
      response: { 200: ReplayShape },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const replay = orNotFound(await findReplay(database, request.caller.instanceId, request.params.replayId), 'replay')
    return await present(deps, replay)
  },
)

async function present({ database }: RouteDeps, replay: Replay) {
  const report = await readReplayReport(database, replay.instanceId, replay.id)
  return {
    id: replay.id,
    state: stateOf(report),
    dryRun: replay.isDryRun,
    companyId: replay.companyId,
    serviceId: replay.serviceId,
    requestedBy: replay.requestedBy,
    requestedOn: toPlainTimestamp(replay.createdAt),
    ...report,
  }
}

function stateOf({ connections }: ReplayReport): 'running' | 'done' | 'failed' {
  if (connections.waiting > 0) return 'running'
  return connections.failed > 0 ? 'failed' : 'done'
}
