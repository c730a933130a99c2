import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Category } from '../../../model/catalogue.ts'
import { RECORD_SCHEMAS } from '../../../model/records/record-schemas.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { type Connection, findCurrentConnection } from '../../../store/connections/connections.ts'
import type { Database } from '../../../store/db/database.ts'
import { type Coverage, listCoverage } from '../../../store/records/coverage.ts'
import { type EndedRun, findLastRead, findQualityRuns } from '../../../store/records/quality.ts'
import { readQuarantinePage } from '../../../store/records/quarantine.ts'
import { listWarnings } from '../../../sync/runs/run-warnings.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { readers } from '../../access/caller.ts'
import { notFound, orNotFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { type PageRequest, pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { Warning } from '../companies/connection-history.ts'
import { NextReadOn, presentNextRead } from '../companies/connection-shapes.ts'
import type { RouteDeps } from '../route-deps.ts'

const Entity = Type.String({ enum: ['Accounts', 'Transactions'] })

const QualityShape = strict(
  {
    sessionId: Uuid,
    coverage: Type.Array(
      strict({
        entity: Entity,
        countedOn: Type.String({ description: 'The publication that was counted; counting follows each within moments' }),
        total: Type.Integer({ description: 'Published records' }),
        fields: Type.Array(
          strict({
            field: Type.String(),
            filled: Type.Integer({ description: 'Records with a value; words that say that nothing is known are none' }),
            share: orNull(Type.Number({ description: 'Of all records, 0 to 1; null when there are none' })),
          }),
        ),
      }),
    ),
    unmappedWords: Type.Array(strict({ entity: Type.String(), field: Type.String(), word: Type.String(), count: Type.Integer() }), {
      description: 'Words of the source that the mapping does not know, as the last run met them that published',
    }),
    staleness: strict({
      lastReadOn: orNull(PlainTimestamp),
      lastChangedOn: orNull(PlainTimestamp),
      nextReadOn: NextReadOn,
      isStale: Type.Boolean({ description: 'Not read for two refresh intervals, or never' }),
    }),
    setAside: strict({
      pageNumber: Type.Integer(),
      pageSize: Type.Integer(),
      count: Type.Integer({ description: 'On this page' }),
      total: Type.Integer(),
      data: Type.Array(
        strict({
          entity: Entity,
          origId: Type.String(),
          reason: Type.String(),
          on: PlainTimestamp,
          rawPageId: orNull(Uuid),
          rawIndex: Type.Integer(),
        }),
      ),
    }),
    heldBackDeletions: strict(
      { count: Type.Integer(), runId: orNull(Uuid), on: orNull(PlainTimestamp) },
      { description: 'Records that the last complete reading did not show, too many at once to be believed' },
    ),
    lastRun: orNull(
      strict({
        id: Uuid,
        reason: Type.String(),
        state: Type.String(),
        startedOn: PlainTimestamp,
        endedOn: PlainTimestamp,
        warnings: Type.Array(Warning),
      }),
    ),
  },
  { title: 'Quality' },
)

const MINUTE_MS = 60_000

/** Data quality of a connection. */
export function qualityRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [getConnectionQualityRoute])
}

const getConnectionQualityRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/company/:companyId/data-connection/:serviceId/quality',
    replica: true,
    scope: 'data:read',
    roles: readers,
    schema: {
      tags: ['Connections'],
      summary: 'How good the data of the current connection are',
      description: 'Coverage per field, unknown words, staleness, records set aside (paged), deletions held back, warnings.',
      operationId: 'getConnectionQuality',
      params: strict({ companyId: Uuid, serviceId: Uuid }),
      querystring: strict(pageParameters),
      response: { 200: QualityShape },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { companyId, serviceId } = request.params
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    if (!(await findService(database, deps.sync.sources, instanceId, serviceId))) throw notFound('service')
    const connection = orNotFound(await findCurrentConnection(database, instanceId, companyId, serviceId), 'connection')
    return await describeQuality(database, deps.now(), connection, readPageRequest(request.query))
  },
)

async function describeQuality(database: Database, now: Date, connection: Connection, page: PageRequest) {
  const { instanceId, id, refreshMinutes } = connection
  const coverage = connection.publishedAt === null ? [] : await listCoverage(database, connection)
  const runs = await findQualityRuns(database, connection)
  const lastReadAt = await findLastRead(database, instanceId, id)
  const { records, total } = await readQuarantinePage(database, connection, page)
  return {
    sessionId: id,
    coverage: coverage.map((each) => presentCoverage(connection.category, each)),
    unmappedWords: runs.published?.unmapped ?? [],
    staleness: {
      lastReadOn: lastReadAt && toPlainTimestamp(lastReadAt),
      lastChangedOn: connection.publishedAt && toPlainTimestamp(connection.publishedAt),
      nextReadOn: presentNextRead(connection),
      isStale: lastReadAt === null || (refreshMinutes > 0 && now.getTime() - lastReadAt.getTime() > 2 * refreshMinutes * MINUTE_MS),
    },
    setAside: {
      pageNumber: page.pageNumber,
      pageSize: page.pageSize,
      count: records.length,
      total,
      data: records.map(({ entity, origId, reason, at, rawPageId, rawIndex }) => ({
        entity,
        origId,
        reason,
        on: toPlainTimestamp(at),
        rawPageId,
        rawIndex,
      })),
    },
    heldBackDeletions: heldBackBy(runs.read),
    lastRun: runs.last && presentRun(runs.last),
  }
}

/** Coverage for the API. A field added after the last count has no count yet: 0. */
function presentCoverage(category: Category, { entity, countedUntil, total, filled }: Coverage) {
  const fields = RECORD_SCHEMAS[category][entity].properties.filter(({ kind }) => kind !== 'id')
  return {
    entity,
    countedOn: toPlainTimestamp(countedUntil),
    total,
    fields: fields.map(({ name }) => ({ field: name, filled: filled[name] ?? 0, share: total === 0 ? null : (filled[name] ?? 0) / total })),
  }
}

function heldBackBy(run: EndedRun | null) {
  const count = run?.counts.heldBack ?? 0
  return { count, runId: run && count > 0 ? run.id : null, on: run && count > 0 ? toPlainTimestamp(run.endedAt) : null }
}

function presentRun(run: EndedRun) {
  return {
    id: run.id,
    reason: run.reason,
    state: run.state,
    startedOn: toPlainTimestamp(run.startedAt),
    endedOn: toPlainTimestamp(run.endedAt),
    warnings: listWarnings(run),
  }
}
