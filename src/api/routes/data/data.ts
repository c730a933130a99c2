import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Sources } from '../../../connectors/sources.ts'
import type { Category, Entity } from '../../../model/catalogue.ts'
import { completeDocuments } from '../../../model/records/later-fields.ts'
import { RECORD_SCHEMAS } from '../../../model/records/record-schemas.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import type { Database, Db } from '../../../store/db/database.ts'
import { withinInstance } from '../../../store/db/instance-scope.ts'
import type { Columns } from '../../../store/db/list-selection.ts'
import { toPublicationKey } from '../../../store/records/publication-key.ts'
import { recordColumns } from '../../../store/records/record-columns.ts'
import { NATURAL_ORDER, type RecordView, readRecordPage } from '../../../store/records/record-pages.ts'
import type { RecordScope } from '../../../store/records/records.ts'
import { findService, type Service } from '../../../sync/sources/catalogue.ts'
import { DATA_READ } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { setPairs } from '../../http/security-headers.ts'
import type { UsageCounter } from '../../http/usage.ts'
import { readInstant } from '../../lists/instant-parameter.ts'
import { type ListQuery, type ListRequest, listQuerySchema, readListQuery } from '../../lists/list-query.ts'
import { linkWriter } from '../../lists/list-reply.ts'
import type { MemoryReleaser } from '../../read-cache/node-internals.ts'
import { toPageBytes } from '../../read-cache/page-bytes.ts'
import { type LoadedPage, type PageCache, retainPage } from '../../read-cache/page-cache.ts'
import type { ReadFastPath, ReadResponse } from '../../read-cache/read-fast-path.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { checkAsOf } from './as-of.ts'
import { takesGzip, toReadResponse } from './read-response.ts'
import { viewParameters } from './view-parameters.ts'

const companyServicePath = strict({ companyId: Uuid, serviceId: Uuid })

interface CompanyServiceParams {
  companyId: string
  serviceId: string
}

interface ViewQuery {
  asOf?: string
  modifiedSince?: string
  includeDeleted?: boolean
}

/** Shared instances of the server for data routes only. */
export interface ReadParts {
  fastPath: ReadFastPath
  usage: UsageCounter
  releaseMemory: MemoryReleaser
}

/** Dependencies of a read. */
interface ReadContext {
  database: Database
  sources: Sources
  pageCache: PageCache
  releaseMemory: MemoryReleaser
}

/**
 * Data routes: normalized accounts and transactions, as finished pages from the cache, checked against the published
 * version at each request.
 */
export function dataRoutes(deps: RouteDeps, { fastPath, usage, releaseMemory }: ReadParts): FastifyPluginAsyncTypebox {
  const reads: ReadContext = { database: deps.database, sources: deps.sync.sources, pageCache: deps.pageCache, releaseMemory }
  return async (app) => {
    for (const [category, segment] of [
      ['Accounting', 'accountancy'],
      ['Banking', 'banking'],
    ] as const) {
      for (const entity of ['Accounts', 'Transactions'] as const) {
        const definition = listDefinition(category, entity)
        const operationId = `list${category}${entity}`
        app.get(
          `/normalized-data/:companyId/${segment}/${entity.toLowerCase()}/:serviceId`,
          {
            config: DATA_READ,
            schema: {
              tags: ['Data'],
              summary: `${category === 'Banking' ? 'Bank' : 'Accounting'} ${entity.toLowerCase()} by service`,
              operationId,
              params: companyServicePath,
              querystring: listQuerySchema(definition, viewParameters(definition.orderBy)),
              response: { 200: envelopeSchema(category, entity) },
            },
          },
          async (request, reply) => {
            const { query, params } = request
            const wanted = { category, entity, list: readList(query, definition), view: readView(query) }
            const address = toAddress(wanted, params, request)
            const { instanceId } = request.caller
            // The route has taken its share already.
            const found = await respondToRead(reads, address, request.headers, (work) => work())
            const respond = (headers: IncomingHttpHeaders) =>
              respondToRead(reads, address, headers, (work) => fastPath.shares.run(instanceId, work))
            const { url = 'unknown', config } = request.routeOptions
            const count = usage.counterOf(instanceId, operationId)
            // Only for existing data: a repeated request for nothing takes the normal route, which alone adds the headers of a deprecation.
            if (!config.deprecated) fastPath.add(request.url, { instanceId, route: url, respond, count })
            return sendAnswer(reply, found)
          },
        )
      }
    }
  }
}

const COLUMNS: Record<Category, Record<Entity, Columns>> = {
  Accounting: { Accounts: recordColumns('Accounting', 'Accounts'), Transactions: recordColumns('Accounting', 'Transactions') },
  Banking: { Accounts: recordColumns('Banking', 'Accounts'), Transactions: recordColumns('Banking', 'Transactions') },
}

interface RecordsRequest {
  category: Category
  entity: Entity
  list: ListRequest
  view: RecordView
}

/** Parsed data URL of a caller of one instance. */
interface DataAddress {
  wanted: RecordsRequest
  scope: RecordScope
  publicationKey: string
  /** Equal for URLs with the same meaning. */
  pageKey: string
  writeLinks(total: number): string
}

function toAddress(wanted: RecordsRequest, { companyId, serviceId }: CompanyServiceParams, request: FastifyRequest): DataAddress {
  const scope = { instanceId: request.caller.instanceId, companyId: companyId.toLowerCase(), serviceId: serviceId.toLowerCase() }
  const { category, entity, list, view } = wanted
  const publicationKey = toPublicationKey(scope)
  // NOTE the shape comes last, because the ETag is made of the end: a page that a caller has cached changes with it.
  const { shape } = RECORD_SCHEMAS[category][entity]
  const question = [category, entity, list.pageNumber, list.pageSize, list.orderBy, list.descending, list.filter, view, shape]
  const pageKey = `${publicationKey}?${JSON.stringify(question)}`
  return { wanted, scope, publicationKey, pageKey, writeLinks: linkWriter(request, list) }
}

function sendAnswer(reply: FastifyReply, { status, headers, body }: ReadResponse): FastifyReply {
  setPairs(reply, headers)
  return reply.code(status).send(typeof body === 'string' ? Buffer.from(body, 'latin1') : (body ?? undefined))
}

/** Synchronous when the page is cached. */
function respondToRead(
  reads: ReadContext,
  address: DataAddress,
  requestHeaders: IncomingHttpHeaders,
  inShare: (work: () => Promise<ReadResponse>) => Promise<ReadResponse>,
): ReadResponse | Promise<ReadResponse> {
  const page = reads.pageCache.find(address.publicationKey, address.pageKey)
  const isGzip = takesGzip(requestHeaders['accept-encoding'])
  if (page && (!isGzip || page.gzipped)) return toReadResponse(page, address.writeLinks, requestHeaders, isGzip ? page.gzipped : null)
  return inShare(() => findAnswer(reads, address, requestHeaders, isGzip))
}

async function findAnswer(
  { database, sources, pageCache, releaseMemory }: ReadContext,
  address: DataAddress,
  requestHeaders: IncomingHttpHeaders,
  isGzip: boolean,
): Promise<ReadResponse> {
  const { wanted, scope, publicationKey, pageKey } = address
  // On the fast path no route has entered an instance scope.
  const read = () => withinInstance(scope.instanceId, () => loadPage(database, sources, wanted, scope))
  const page = await pageCache.get(publicationKey, pageKey, read)
  if (!page) throw await explainEmpty(database, sources, wanted.category, scope)
  const release = retainPage(page, releaseMemory)
  if (isGzip) return toReadResponse(page, address.writeLinks, requestHeaders, await pageCache.gzip(pageKey, page).finally(release))
  const answer = toReadResponse(page, address.writeLinks, requestHeaders, null)
  if (answer.body !== null) return { ...answer, release }
  release()
  return answer
}

async function loadPage(database: Database, sources: Sources, wanted: RecordsRequest, scope: RecordScope): Promise<LoadedPage | null> {
  const { category, entity, list, view } = wanted
  const service = await findService(database, sources, scope.instanceId, scope.serviceId)
  if (service?.category !== category) return null
  const page = await readRecordPage(database, scope, entity, list, view, COLUMNS[category][entity], (page) => {
    const { publication, shownPublishedAt, total } = page
    const documents = completeDocuments(RECORD_SCHEMAS[category][entity], page.documents)
    const lastUpdatedOn = shownPublishedAt && toPlainTimestamp(shownPublishedAt)
    const about = { serviceId: service.id, serviceName: service.name, lastUpdatedOn }
    const head = category === 'Banking' ? `${JSON.stringify(about).slice(0, -1)},` : '{'
    const pagination = JSON.stringify({ pageNumber: list.pageNumber, pageSize: list.pageSize, count: documents.length })
    return { version: publication.version, body: toPageBytes(`${head}"data":[`, documents, `],"pagination":${pagination}}`), total }
  })
  // After the read, so that the horizon covers every deletion that the read met.
  await checkAsOf(database, view.asOf ?? null)
  return page
}

/** Reason why there is nothing to read. */
async function explainEmpty(db: Db, sources: Sources, category: Category, scope: RecordScope): Promise<Error> {
  if (!(await findCompany(db, scope.instanceId, scope.companyId))) return notFound('company')
  const service: Service | null = await findService(db, sources, scope.instanceId, scope.serviceId)
  if (!service || service.category !== category) return notFound('service')
  return notFound('published data: the company is not connected to this service, or its first sync has not finished')
}

function listDefinition(category: Category, entity: Entity) {
  const filter = Object.fromEntries(Object.entries(COLUMNS[category][entity]).map(([name, column]) => [name, column.type]))
  const [first = 'origId', ...others] = Object.keys(filter)
  return { filter, orderBy: [first, ...others] as [string, ...string[]] }
}

/** NOTE without `OrderBy` the order is that of no property: records are indexed in it, so a page needs no sort. */
function readList(query: ListQuery, definition: ReturnType<typeof listDefinition>): ListRequest {
  const list = readListQuery(query, definition)
  return query.OrderBy === undefined ? { ...list, orderBy: NATURAL_ORDER } : list
}

function readView(query: ViewQuery): RecordView {
  return {
    ...instant('asOf', query.asOf),
    ...instant('modifiedSince', query.modifiedSince),
    ...(query.includeDeleted ? { includeDeleted: true } : {}),
  }
}

function instant<Name extends string>(name: Name, text: string | undefined): { [N in Name]?: Date } {
  const at = readInstant(name, text)
  return at === null ? {} : ({ [name]: at } as { [N in Name]?: Date })
}

/** NOTE an instant before the first publication can only be queried with `asOf`. */
const LastUpdatedOn = orNull(
  Type.String({
    description: 'When what is shown was published; with asOf the publication that was current then, null before the first one',
  }),
)

function envelopeSchema(category: Category, entity: Entity) {
  const pagination = strict({ pageNumber: Type.Integer(), pageSize: Type.Integer(), count: Type.Integer() })
  const data = Type.Array(RECORD_SCHEMAS[category][entity].document)
  return category === 'Banking'
    ? strict({ serviceId: Uuid, serviceName: Type.String(), lastUpdatedOn: LastUpdatedOn, data, pagination })
    : strict({ data, pagination })
}
