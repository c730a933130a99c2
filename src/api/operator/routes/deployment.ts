import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { SYSTEM_INSTANCE_ID } from '../../../sync/context/system-instance.ts'
import { route, routes } from '../../http/route.ts'
import { HealthShape, readDeploymentHealth } from '../../routes/operations/deployment-health.ts'
import { orNull, PlainTimestamp, strict } from '../../schemas/schemas.ts'
import type { OperatorDeps } from './shapes.ts'

const tags = ['Deployment']

const Values = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))

const Entry = strict(
  {
    position: Type.Integer({ description: 'Counts up without a gap; an entry is never changed' }),
    recordedOn: PlainTimestamp,
    action: Type.String({ examples: ['instance.created'] }),
    actor: orNull(Type.String({ description: 'operator, command, visitor (nobody who had signed in) or job' })),
    actorId: orNull(Type.String({ description: 'Id of the operator, or name of the command' })),
    network: orNull(Type.String()),
    subject: orNull(Type.String({ description: 'What it was done to, such as `instance/<id>`' })),
    before: Values,
    after: Values,
    details: Values,
  },
  { title: 'DeploymentAuditEntry' },
)

/** The deployment as a whole: its health, and the audit of operators. */
export function deploymentRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [getHealthRoute, listAuditRoute])
}

const getHealthRoute = route(
  {
    method: 'GET',
    url: '/deployment/health',
    operator: 'open',
    schema: {
      tags,
      operationId: 'getHealthOfDeployment',
      summary: 'Workers, sources with their limits and breakers, and storage',
      response: { 200: HealthShape },
    },
  },
  async (deps: OperatorDeps) => await readDeploymentHealth(deps),
)

const listAuditRoute = route(
  {
    method: 'GET',
    url: '/audit',
    operator: 'open',
    schema: {
      tags,
      operationId: 'listDeploymentAudit',
      summary: 'What operators and commands did, newest first',
      description: 'Failed logins of addresses that nobody has are here, too.',
      querystring: strict({
        Before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries older than this position' })),
        Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
      }),
      response: {
        200: strict(
          { data: Type.Array(Entry), before: orNull(Type.Integer({ description: 'For the next call; null at the end' })) },
          { title: 'DeploymentAudit' },
        ),
      },
    },
  },
  async ({ database }: OperatorDeps, { query: { Before, Limit } }) => {
    const entries = await listAudit(database, SYSTEM_INSTANCE_ID, Limit ?? 100, Before ?? null)
    const last = entries.at(-1)
    return {
      data: entries.map(({ position, at, entry }) => {
        const { action, subject, actor = null, actorId = null, network = null, before = {}, after = {}, details = {} } = entry
        return { position, recordedOn: toPlainTimestamp(at), action, actor, actorId, network, subject, before, after, details }
      }),
      before: last !== undefined && last.position > 1 ? last.position : null,
    }
  },
)
