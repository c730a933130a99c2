import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sources } from '../../../connectors/sources.ts'
import { completeDocuments } from '../../../model/records/later-fields.ts'
import { RECORD_SCHEMAS } from '../../../model/records/record-schemas.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Database } from '../../../store/db/database.ts'
import { acrossInstances, withinInstance } from '../../../store/db/instance-scope.ts'
import type { Replicas } from '../../../store/db/replicas/replicas.ts'
import { toPublicationKey } from '../../../store/records/publication-key.ts'
import { findVersions } from '../../../store/records/publications.ts'
import { readRecordPage } from '../../../store/records/record-pages.ts'
import type { RecordScope } from '../../../store/records/records.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import type { Access } from '../../access/access.ts'
import { DATA_READ } from '../../access/caller.ts'
import { setPairs } from '../../http/security-headers.ts'
import type { UsageCounter } from '../../http/usage.ts'
import { listQuerySchema } from '../../lists/list-query.ts'
import { linkWriter } from '../../lists/list-reply.ts'
import { prefersNdjson } from '../../lists/ndjson.ts'
import { StreamSlots } from '../../lists/stream-slots.ts'
import type { MemoryReleaser } from '../../read-cache/node-internals.ts'
import { toPageBytes } from '../../read-cache/page-bytes.ts'
import { type LoadedPage, type PageCache, retainPage } from '../../read-cache/page-cache.ts'
import type { ReadFastPath, ReadResponse } from '../../read-cache/read-fast-path.ts'
import { strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { checkAsOf } from './as-of.ts'
import { explainEmpty } from './explain-empty.ts'
import { ReadResponder, takesGzip } from './read-response.ts'
import { type LineContext, sendRecordLines } from './record-lines.ts'
import { COLUMNS, listAnswer, listDefinition, type RecordsRequest, readList, readView } from './record-list.ts'
import { viewParameters } from './view-parameters.ts'

const companyServicePath = strict({ companyId: Uuid, serviceId: Uuid })

interface CompanyServiceParams {
  companyId: string
  serviceId: string
}

/** Lists that are streamed at once, by a process. */
const STREAMS = { ofInstance: 4, ofProcess: 32 }

/** Shared instances of the server for data routes only. */
export interface ReadParts {
  fastPath: ReadFastPath
  usage: UsageCounter
  releaseMemory: MemoryReleaser
}

/** Dependencies of a read. */
interface ReadContext {
  database: Database
  replicas?: Replicas | undefined
  sources: Sources
  pageCache: PageCache
  releaseMemory: MemoryReleaser
}

/**
 * Data routes: normalized accounts and transactions, as finished pages from the cache, checked against the published
 * version at each request, or as a stream of lines.
 */
export function dataRoutes(
  deps: RouteDeps,
  { guard }: Pick<Access, 'guard'>,
  { fastPath, usage, releaseMemory }: ReadParts,
): FastifyPluginAsyncTypebox {
  const { database, replicas } = deps
  const reads: ReadContext = { database, replicas, sources: deps.sync.sources, pageCache: deps.pageCache, releaseMemory }
  const slots = new StreamSlots(STREAMS)
  const lines: LineContext = { database, replicas, sources: deps.sync.sources, shares: fastPath.shares, guard, slots }
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
              response: { 200: listAnswer(category, entity) },
            },
          },
          async (request, reply) => {
            const { query, params } = request
            const wanted = { category, entity, list: readList(query, definition), view: readView(query) }
            const address = toAddress(wanted, params, request)
            const { instanceId } = request.caller
            if (prefersNdjson(request.headers.accept)) return await sendRecordLines(lines, wanted, address.scope, request, reply)
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

/** Parsed data URL of a caller of one instance. */
interface DataAddress {
  wanted: RecordsRequest
  scope: RecordScope
  publicationKey: string
  /** Equal for URLs with the same meaning. */
  pageKey: string
  responder: ReadResponder
}

function toAddress(wanted: RecordsRequest, { companyId, serviceId }: CompanyServiceParams, request: FastifyRequest): DataAddress {
  const scope = { instanceId: request.caller.instanceId, companyId: companyId.toLowerCase(), serviceId: serviceId.toLowerCase() }
  const { category, entity, list, view } = wanted
  const publicationKey = toPublicationKey(scope)
  // NOTE the shape comes last, because the ETag is made of the end: a page that a caller has cached changes with it.
  const { shape } = RECORD_SCHEMAS[category][entity]
  const question = [category, entity, list.pageNumber, list.pageSize, list.orderBy, list.descending, list.filter, view, shape]
  const pageKey = `${publicationKey}?${JSON.stringify(question)}`
  return { wanted, scope, publicationKey, pageKey, responder: new ReadResponder(linkWriter(request, list)) }
}

function sendAnswer(reply: FastifyReply, { status, headers, body }: ReadResponse): FastifyReply {
  setPairs(reply, headers.pairs)
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
  if (page && (!isGzip || page.gzipped)) return address.responder.respond(page, requestHeaders, isGzip ? page.gzipped : null)
  return inShare(() => findAnswer(reads, address, requestHeaders, isGzip))
}

async function findAnswer(
  reads: ReadContext,
  address: DataAddress,
  requestHeaders: IncomingHttpHeaders,
  isGzip: boolean,
): Promise<ReadResponse> {
  const { database, sources, pageCache, releaseMemory } = reads
  const { wanted, scope, publicationKey, pageKey, responder } = address
  // On the fast path no route has entered an instance scope.
  const read = () => withinInstance(scope.instanceId, () => loadShownPage(reads, address))
  const page = await pageCache.get({ instanceId: scope.instanceId, publicationKey, pageKey }, read)
  if (!page) throw await explainEmpty(database, sources, wanted.category, scope)
  const release = retainPage(page, releaseMemory)
  if (isGzip) return responder.respond(page, requestHeaders, await pageCache.gzip(pageKey, page).finally(release))
  const answer = responder.respond(page, requestHeaders, null)
  if (answer.body !== null) return { ...answer, release }
  release()
  return answer
}

/**
 * A page as of an instant may come from a replica: one that has the publication of the primary has the same history before
 * it. So no page is ever stale, whoever answers.
 */
async function loadShownPage(
  { database, replicas, sources }: ReadContext,
  { wanted, scope, publicationKey }: DataAddress,
): Promise<LoadedPage | null> {
  const load = () => loadPage(database, sources, wanted, scope)
  if (replicas === undefined || wanted.view.asOf === undefined) return await load()
  const page = await replicas.readPinned(publicationKey, null, load)
  const versions = await acrossInstances(() => findVersions(database, [publicationKey]))
  return page !== null && page.version === versions.get(publicationKey) ? page : await load()
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
