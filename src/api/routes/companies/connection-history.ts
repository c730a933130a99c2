import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { statusName } from '../../../model/statuses.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { findRun, type HistoryEntry, readHistory, readRuns } from '../../../store/connections/connection-history.ts'
import { findCurrentConnection } from '../../../store/connections/connections.ts'
import { isRunPromised } from '../../../store/connections/requested-runs.ts'
import type { StoredRun } from '../../../store/connections/sync-runs.ts'
import { listWarnings } from '../../../sync/runs/run-warnings.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { readers } from '../../access/caller.ts'
import { notFound, orNotFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { filterParameter, pageOf, readFilter } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { statusMessageProperties } from '../../schemas/fault-shapes.ts'
import { ConnectionStatus, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

export const Warning = strict(
  {
    code: Type.String({ enum: ['setAside', 'heldBack', 'unmapped', 'unclear', 'failed'] }),
    count: Type.Integer(),
    message: Type.String(),
  },
  { title: 'RunWarning' },
)

const Entry = strict(
  {
    at: PlainTimestamp,
    kind: Type.String({
      enum: ['linkIssued', 'linkOpened', 'consentGiven', 'consentEnded', 'linkCompleted', 'linkRevoked', 'linkExpired', 'status', 'run'],
    }),
    sessionId: orNull(Uuid),
    subjectId: orNull(Type.String({ format: 'uuid', description: 'Of the link, the consent or the run' })),
    fromStatusCode: orNull(ConnectionStatus),
    statusCode: orNull(ConnectionStatus),
    statusName: orNull(Type.String()),
    ...statusMessageProperties,
  },
  { title: 'TimelineEntry' },
)

const RUN_STATES = ['running', 'published', 'unchanged', 'failed', 'abandoned'] as const

const Run = strict(
  {
    id: Uuid,
    reason: Type.String({ examples: ['schedule'] }),
    state: Type.String({ enum: [...RUN_STATES] }),
    startedOn: PlainTimestamp,
    endedOn: orNull(PlainTimestamp),
    durationMs: orNull(Type.Integer()),
    counts: strict({
      pages: Type.Integer(),
      records: Type.Integer(),
      changed: Type.Integer(),
      setAside: Type.Integer(),
      deleted: Type.Integer(),
      heldBack: Type.Integer(),
    }),
    warnings: Type.Array(Warning),
    errorKind: orNull(Type.String()),
    error: orNull(Type.String()),
  },
  { title: 'Run' },
)

/** A run by its id, also before it begins. */
const RequestedRun = strict(
  {
    ...Run.properties,
    state: Type.String({
      enum: ['waiting', ...RUN_STATES],
      description: '`waiting` until it begins: then all but `id` and `reason` is empty, zero or null',
    }),
    startedOn: orNull(PlainTimestamp),
  },
  { title: 'RequestedRun' },
)

const companyServicePath = strict({ companyId: Uuid, serviceId: Uuid })
const PATH = '/normalized-data/company/:companyId/data-connection/:serviceId'
const tags = ['Connections']
const parameters = { ...pageParameters, Desc: Type.Optional(Type.Boolean({ default: false, description: 'Newest first' })) }
const ENTRY_FILTER = { at: 'date', kind: 'string', sessionId: 'uuid', subjectId: 'uuid', statusCode: 'number' } as const
const RUN_FILTER = { startedOn: 'date', endedOn: 'date', id: 'uuid', reason: 'string', state: 'string' } as const

/** History of a company at a service, beginning with the first link. */
export function connectionHistoryRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [getConnectionTimelineRoute, listConnectionRunsRoute, getConnectionRunRoute])
}

const getConnectionTimelineRoute = route(
  {
    method: 'GET',
    url: `${PATH}/timeline`,
    replica: true,
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Everything that happened between a company and a service',
      description: 'Links, every status of every connection, and every run, in the order of time.',
      operationId: 'getConnectionTimeline',
      params: companyServicePath,
      querystring: strict({ ...parameters, FilterQuery: filterParameter(ENTRY_FILTER) }),
      response: { 200: pageOf(Entry) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { id, parentId } = await checkCompanyAndService(deps, instanceId, request.params)
    const page = readPageRequest(request.query)
    const filter = readFilter(request.query.FilterQuery, ENTRY_FILTER)
    const { entries, total } = await readHistory(
      database,
      { instanceId, companyId: request.params.companyId, serviceId: id, linkServiceIds: parentId === null ? [id] : [id, parentId] },
      { ...page, filter, descending: request.query.Desc ?? false },
    )
    return listPage(reply, page, entries.map(presentEntry), total)
  },
)

const listConnectionRunsRoute = route(
  {
    method: 'GET',
    url: `${PATH}/runs`,
    replica: true,
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'The runs of the current connection',
      operationId: 'listConnectionRuns',
      params: companyServicePath,
      querystring: strict({ ...parameters, FilterQuery: filterParameter(RUN_FILTER) }),
      response: { 200: pageOf(Run) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    await checkCompanyAndService(deps, instanceId, request.params)
    const connection = await findCurrentConnection(database, instanceId, request.params.companyId, request.params.serviceId)
    if (!connection) throw notFound('connection')
    const page = readPageRequest(request.query)
    const filter = readFilter(request.query.FilterQuery, RUN_FILTER)
    const descending = request.query.Desc ?? false
    const { runs, total } = await readRuns(database, connection, { ...page, filter, descending })
    return listPage(reply, page, runs.map(presentRun), total)
  },
)

const getConnectionRunRoute = route(
  {
    method: 'GET',
    url: `${PATH}/runs/:runId`,
    replica: true,
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'One run',
      description:
        'Of any connection of the company to the service. A run that is waiting is gone (404) when its connection is suspended or ends.',
      operationId: 'getConnectionRun',
      params: strict({ ...companyServicePath.properties, runId: Uuid }),
      response: { 200: RequestedRun },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { companyId, serviceId, runId: id } = request.params
    await checkCompanyAndService(deps, instanceId, request.params)
    const connection = await findCurrentConnection(database, instanceId, companyId, serviceId)
    // NOTE the run is looked for last: one that begins in between would be neither promised nor found.
    const isWaiting = connection && (await isRunPromised(database, connection, id))
    const run = await findRun(database, { instanceId, companyId, serviceId, id })
    if (run) return presentRun(run)
    if (!isWaiting) throw notFound('run')
    return { ...WAITING, id }
  },
)

const WAITING = {
  ...{ reason: 'refresh', state: 'waiting', startedOn: null, endedOn: null, durationMs: null, warnings: [], errorKind: null, error: null },
  counts: { pages: 0, records: 0, changed: 0, setAside: 0, deleted: 0, heldBack: 0 },
}

async function checkCompanyAndService(
  deps: RouteDeps,
  instanceId: string,
  { companyId, serviceId }: { companyId: string; serviceId: string },
) {
  const { database } = deps
  if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
  return orNotFound(await findService(database, deps.sync.sources, instanceId, serviceId), 'service')
}

function presentEntry({ at, kind, sessionId, subjectId, fromStatus, toStatus, detail, detailCode, detailParts }: HistoryEntry) {
  return {
    at: toPlainTimestamp(at),
    kind,
    sessionId,
    subjectId,
    fromStatusCode: fromStatus,
    statusCode: toStatus,
    statusName: toStatus === null ? null : statusName(toStatus),
    detail,
    detailCode,
    detailParts: detailParts ?? {},
  }
}

function presentRun(run: StoredRun) {
  return {
    id: run.id,
    reason: run.reason,
    state: run.state,
    startedOn: toPlainTimestamp(run.startedAt),
    endedOn: run.endedAt && toPlainTimestamp(run.endedAt),
    durationMs: run.endedAt && run.endedAt.getTime() - run.startedAt.getTime(),
    counts: run.counts,
    warnings: listWarnings(run),
    errorKind: run.errorKind,
    error: run.error,
  }
}
