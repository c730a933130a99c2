import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { findCompany, isBeingErased } from '../../../store/connections/companies.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { deleteExport, type Export, type ExportKey, findExport, listExports } from '../../../store/exports/exports.ts'
import { readExportFile } from '../../../sync/exports/export-file.ts'
import { EXPORT_DAYS, requestExport, TooManyRequested } from '../../../sync/exports/request-export.ts'
import { operators, readers } from '../../access/caller.ts'
import { issuerOf } from '../../access/keys/issuer.ts'
import { ApiError, conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { readByteRange } from '../../lists/byte-range.ts'
import { filterParameter, pageOf, readFilter } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { deliverExportRoute } from './deliver-export.ts'
import { CONTENT_TYPES, EXPORT_FILTER, ExportInput, ExportShape, presentExport } from './export-shapes.ts'

const tags = ['Data']
const PATH = '/normalized-data/exports'
const path = strict({ exportId: Uuid })
/** Streamed while it is being read. */
const File = Type.Unsafe<Readable>(Type.String())
const fileContent = {
  'application/x-ndjson': { schema: File },
  'text/csv': { schema: File },
  'application/vnd.apache.parquet': { schema: File },
}

/** Exports of published data as files. */
export function exportRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [requestExportRoute, listExportsRoute, getExportRoute, downloadExportRoute, deliverExportRoute, deleteExportRoute])
}

const requestExportRoute = route(
  {
    method: 'POST',
    url: PATH,
    scope: 'data:read',
    roles: operators,
    audit: 'export.requested',
    schema: {
      tags,
      summary: 'Export one kind of record as a file',
      description: `Of one company, or of all companies where \`companyId\` is null or left out. The file holds what is published at the request: a sync in between changes no byte of it. Ask for the export until its state is \`completed\`, then download the file. It is kept for ${EXPORT_DAYS} days, at most 100 of an instance, of which five may be unfinished (409).`,
      operationId: 'requestExport',
      body: ExportInput,
      response: { 202: ExportShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { companyId = null, category, entity, format } = request.body
    if (companyId !== null) {
      if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
      if (await isBeingErased(database, instanceId, companyId))
        throw conflict('Data of this company is being erased. Try again in a moment.')
    }
    const { issuedBy } = await issuerOf(database, request.caller)
    const wanted = { instanceId, id: newIdFor(request), companyId, category, entity, format, requestedBy: issuedBy }
    const made = await requestExport(deps, wanted, (db) =>
      recordChange(db, { instanceId, action: 'export.requested', subject: `export/${wanted.id}`, after: wanted }),
    ).catch((error: unknown) => {
      throw error instanceof TooManyRequested ? conflict(error.message) : error
    })
    reply.code(202)
    return presentExport(made)
  },
)

const listExportsRoute = route(
  {
    method: 'GET',
    url: PATH,
    replica: true,
    scope: 'data:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Exports, newest first',
      operationId: 'listExports',
      querystring: strict({ ...pageParameters, FilterQuery: filterParameter(EXPORT_FILTER) }),
      response: { 200: pageOf(ExportShape) },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const page = readPageRequest(request.query)
    const { exports, total } = await listExports(database, request.caller.instanceId, {
      filter: readFilter(request.query.FilterQuery, EXPORT_FILTER),
      limit: page.limit,
      offset: page.offset,
    })
    return listPage(reply, page, exports.map(presentExport), total)
  },
)

const getExportRoute = route(
  {
    method: 'GET',
    url: `${PATH}/:exportId`,
    replica: true,
    scope: 'data:read',
    roles: readers,
    observed: ['state', 'endedOn', 'records', 'bytes', 'error', 'delivery'],
    schema: { tags, summary: 'One export', operationId: 'getExport', params: path, response: { 200: ExportShape } },
  },
  async (deps: RouteDeps, request) =>
    presentExport(await known(deps, { instanceId: request.caller.instanceId, id: request.params.exportId })),
)

const downloadExportRoute = route(
  {
    method: 'GET',
    url: `${PATH}/:exportId/file`,
    replica: true,
    scope: 'data:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Download the file of a completed export',
      description:
        'With `Range: bytes=…` a part of it (206), so that a download that broke off goes on; `If-Range` with the ETag gives the whole file where it is another.',
      operationId: 'downloadExport',
      params: path,
      response: {
        200: { description: 'The file', content: fileContent },
        206: { description: 'The part that was asked for', content: fileContent },
      },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const made = await known(deps, { instanceId: request.caller.instanceId, id: request.params.exportId })
    if (made.endedAt === null) throw conflict('The export is waiting or being written: it has no file yet.')
    if (made.state !== 'completed') throw conflict('The export has no file: it failed, or its data was disconnected.')
    const etag = `"${made.id}"`
    const given = request.headers['if-range']
    const range = given === undefined || given === etag ? readByteRange(request.headers.range, made.bytes) : null
    if (range === 'unsatisfiable')
      throw new ApiError(416, `The file has ${made.bytes} bytes.`, { headers: { 'content-range': `bytes */${made.bytes}` } })
    const { start, end } = range ?? { start: 0, end: made.bytes }
    reply.headers({
      'accept-ranges': 'bytes',
      etag,
      'content-length': String(end - start),
      'content-disposition': `attachment; filename="${made.category}-${made.entity}.${made.format}"`.toLowerCase(),
    })
    if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${made.bytes}`)
    return reply.type(CONTENT_TYPES[made.format]).send(
      Readable.from(readExportFile({ database: deps.database, replicas: deps.replicas, sealer: deps.sealer }, made, start, end), {
        objectMode: false,
      }),
    )
  },
)

const deleteExportRoute = route(
  {
    method: 'DELETE',
    url: `${PATH}/:exportId`,
    scope: 'data:read',
    roles: operators,
    audit: 'export.deleted',
    schema: {
      tags,
      summary: 'Cancel or delete an export, with its file',
      operationId: 'deleteExport',
      params: path,
      response: { 204: NoContent },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const key = { instanceId: request.caller.instanceId, id: request.params.exportId }
    const before = await known(deps, key)
    await inTransaction(deps.database, async (db) => {
      const outcome = await deleteExport(db, key)
      if (outcome === 'unknown') throw notFound('export')
      if (outcome === 'erasing') throw conflict('The file is still being deleted at its destination. Try again later.')
      await recordChange(db, { instanceId: key.instanceId, action: 'export.deleted', subject: `export/${key.id}`, before })
    })
    reply.code(204)
    return null
  },
)

async function known({ database }: RouteDeps, key: ExportKey): Promise<Export> {
  return orNotFound(await findExport(database, key), 'export')
}
