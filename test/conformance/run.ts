import { Compile } from 'typebox/compile'
import {
  type Connector,
  type ConnectorDescription,
  type HttpRequest,
  type HttpResponse,
  type Kit,
  type Page,
  type Pull,
  type Session,
  SourceError,
} from '../../src/connectors/contract/contract.ts'
import type { Entity } from '../../src/model/catalogue.ts'
import { RECORD_SCHEMAS } from '../../src/model/records/record-schemas.ts'
import type { Json } from '../../src/model/values/json.ts'
import { type NormalizedItem, normalizePage } from '../../src/sync/runs/normalize.ts'

/** A request of the connector and the source's response. */
export interface Exchange {
  request: HttpRequest
  response: HttpResponse
}

/** One fetched page of a run. */
export interface FetchedPage {
  pull: Pull
  cursor: Json | null
  page: Page
  exchanges: Exchange[]
}

/** Far above what any source here needs; a longer run counts as endless. */
const MAX_PAGES = 400

/** Fetches all pages of a run as the engine does, passing the cursor as JSON. */
export async function runPull(session: Session, pull: Pull, from: Json | null = null): Promise<FetchedPage[]> {
  const pages: FetchedPage[] = []
  for (let cursor = from; ; ) {
    if (pages.length === MAX_PAGES) throw new Error(`the run of ${pull.name} does not end`)
    const fetched = await fetchPage(session, pull, cursor)
    pages.push(fetched)
    if (fetched.page.next === null) return pages
    cursor = throughStore(fetched.page.next)
  }
}

/** Pages of all pulls, in their order. */
export async function readAllPulls(session: Session, pulls: readonly Pull[]): Promise<FetchedPage[]> {
  const pages: FetchedPage[] = []
  for (const pull of pulls) pages.push(...(await runPull(session, pull)))
  return pages
}

/** Cursor that the next run starts with. */
export function resumeOf(pages: readonly FetchedPage[]): Json | null {
  const resume = pages.at(-1)?.page.resume
  return resume === undefined ? null : throughStore(resume)
}

function throughStore(cursor: Json): Json {
  return JSON.parse(JSON.stringify(cursor)) as Json
}

export async function fetchPage(session: Session, pull: Pull, cursor: Json | null): Promise<FetchedPage> {
  const exchanges: Exchange[] = []
  const http: Kit['http'] = async (request) => {
    const response = await session.kit.http(request)
    exchanges.push({ request, response })
    return response
  }
  const page = await pull.fetch({ ...session, kit: { ...session.kit, http } }, cursor)
  return { pull, cursor, page, exchanges }
}

/**
 * A kit that replays the answers of a page with changes. Requests that the page did not make go to the source. `alter`
 * gets the index of the request in the new run.
 */
export function replayKit(
  live: Kit,
  exchanges: readonly Exchange[],
  alter: (answer: HttpResponse, place: number, request: HttpRequest) => HttpResponse,
): Kit {
  const left = [...exchanges]
  let place = 0
  const http: Kit['http'] = async (request) => {
    const index = left.findIndex((each) => each.request.url === request.url && String(each.request.body) === String(request.body))
    const [known] = index < 0 ? [] : left.splice(index, 1)
    const response = known?.response ?? (await live.http(request))
    return alter(response, place++, request)
  }
  return { ...live, http }
}

/** A record as the API would return it. */
export interface Delivered {
  entity: Entity
  origId: string
  id: string
  entryId: string | null
  doc: Record<string, unknown>
  /** The record without its observation dates; equal texts mean equal records. */
  content: string
  /** Hash that the engine compares; another hash means a new version. */
  hash: string
}

/**
 * Records that readers have after some pages, combined as in the engine: a later record with the same id replaces the
 * earlier one.
 */
export interface Outcome {
  delivered: Map<string, Delivered>
  setAside: { entity: Entity; origId: string | null; reason: string }[]
  removed: number
  unmapped: { entity: Entity; field: string; word: string }[]
  /** Ids with two different records. */
  clashes: string[]
}

const SCOPE = {
  companyId: '5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02',
  serviceId: '9c1b2a33-1111-4222-8333-444455556666',
  serviceName: 'Source',
  fetchedAt: new Date(Date.UTC(2026, 6, 1, 12)),
}

export interface Source {
  description: ConnectorDescription
  connector: Connector
}

export function normalize(source: Source, pages: readonly Pick<FetchedPage, 'pull' | 'page'>[], laterMs = 0): Outcome {
  const outcome: Outcome = { delivered: new Map(), setAside: [], removed: 0, unmapped: [], clashes: [] }
  for (const { pull, page } of pages) {
    // The engine does not store a page without answers.
    if (Object.keys(page.answers).length === 0) continue
    const fetchedAt = new Date(SCOPE.fetchedAt.getTime() + laterMs)
    const scope = { ...SCOPE, fetchedAt, category: source.description.category }
    const items = normalizePage(source.connector, pull, page.answers, scope, (entity, field, word) =>
      outcome.unmapped.push({ entity, field, word }),
    )
    for (const item of items) take(outcome, item)
  }
  return outcome
}

function take(outcome: Outcome, item: NormalizedItem): void {
  const { entity } = item
  if ('reason' in item) outcome.setAside.push({ entity, origId: item.origId, reason: item.reason })
  else if ('removed' in item) {
    outcome.delivered.delete(keyOf(entity, item.origId))
    outcome.removed += 1
  } else {
    const doc = JSON.parse(item.doc) as Record<string, unknown>
    const { lastUpdatedOn: _at, ...rest } = doc
    const key = keyOf(entity, item.origId)
    const content = JSON.stringify(rest)
    if ((outcome.delivered.get(key)?.content ?? content) !== content) outcome.clashes.push(key)
    outcome.delivered.set(key, {
      entity,
      origId: item.origId,
      id: item.id,
      entryId: typeof doc.entryId === 'string' ? doc.entryId : null,
      doc,
      content,
      hash: Buffer.from(item.contentHash).toString('hex'),
    })
  }
}

export function keyOf(entity: Entity, origId: string): string {
  return `${entity}/${origId}`
}

/** Records and reasons by content, in an order independent of pages: equal lists mean equal outcomes. */
export function contentsOf(outcome: Outcome): string[] {
  const setAside = outcome.setAside.map(({ entity, origId, reason }) => `set aside ${entity}/${origId}: ${reason}`)
  return [...[...outcome.delivered.values()].map(({ entity, content }) => `${entity} ${content}`), ...setAside].sort()
}

const { Accounting, Banking } = RECORD_SCHEMAS
const validators = {
  Accounting: { Accounts: Compile(Accounting.Accounts.document), Transactions: Compile(Accounting.Transactions.document) },
  Banking: { Accounts: Compile(Banking.Accounts.document), Transactions: Compile(Banking.Transactions.document) },
}

/** Validation error of a record; null if it matches the schema that the API publishes. */
export function schemaProblem(source: Source, record: Delivered): string | null {
  const validator = validators[source.description.category][record.entity]
  // Compiled; what lists the errors is not.
  if (validator.Check(record.doc)) return null
  const [problem] = validator.Errors(record.doc)
  return problem ? `${record.entity} ${record.origId}${problem.instancePath}: ${problem.message}` : null
}

/** The `SourceError` or input error of a call; any other error is rethrown. */
export async function failureOf(call: () => Promise<unknown>): Promise<Error | null> {
  try {
    await call()
    return null
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

export function kindOf(failure: Error | null): string {
  if (failure === null) return 'no failure'
  return failure instanceof SourceError ? failure.kind : `${failure.name}: ${failure.message}`
}
