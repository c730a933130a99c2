import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import {
  type Answers,
  type Connector,
  type Grant,
  type Kit,
  type Page,
  type Pull,
  type Session,
  SourceError,
  type SourceItem,
} from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import { findShapeFault, normalizePage } from '../../src/sync/runs/normalize.ts'
import { loadConnector } from './connector.ts'

/** Session that a connector gets to read the books of a grant; without files. */
export function sessionOf({ kit }: { kit: Kit }, { credentials, entity }: Pick<Grant, 'credentials' | 'entity'>): Session {
  return { kit, credentials, entityId: entity.id, nextFile: async () => null }
}

/**
 * Every page of a run, in order; `between` runs after each page but the last. The cursor is passed as JSON, as in the
 * engine.
 */
export async function fetchPages(
  session: Session,
  pull: Pull,
  from: Json | null = null,
  between: (page: number) => void = () => {},
): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor = from; ; between(pages.length)) {
    const page: Page = await pull.fetch(session, cursor)
    pages.push(page)
    if (page.next === null) return pages
    cursor = JSON.parse(JSON.stringify(page.next))
  }
}

/** Answers of every page of a pull, without empty pages, as in the engine. */
export async function listPages(session: Session, pull: Pull, between?: (page: number) => void): Promise<Answers[]> {
  return answersOf(await fetchPages(session, pull, null, between))
}

/** Answers of these pages; empty ones are dropped, as in the engine. */
export function answersOf(pages: readonly Page[]): Answers[] {
  return pages.flatMap(({ answers }) => (Object.keys(answers).length > 0 ? [answers] : []))
}

/** Result of one run. */
export interface Run {
  pages: Answers[]
  last: Page
  items: SourceItem[]
  resume: Json | null
  listing: Page['listing']
}

/** Runs a pull to its last page and reads the answers. */
export async function runPull(session: Session, pull: Pull, from?: Json | null, between?: (page: number) => void): Promise<Run> {
  const fetched = await fetchPages(session, pull, from, between)
  const [pages, last] = [answersOf(fetched), fetched.at(-1)]
  if (!last) throw new Error('a run needs at least one page')
  return { pages, last, items: itemsOf(pages, pull), resume: last.resume ?? null, listing: last.listing }
}

/** Runs pulls of the connector with this key, by name. */
export function runnerOf(key: string) {
  return async (session: Session, name: string, from?: Json | null, between?: (page: number) => void): Promise<Run> =>
    await runPull(session, pullNamed(await loadConnector(key), name), from, between)
}

export async function listItems(session: Session, pull: Pull): Promise<SourceItem[]> {
  return itemsOf(await listPages(session, pull), pull)
}

/**
 * Items without `numbers`, the one place where a full account number may lie: they are compared in memory and not stored.
 * That the engine stores nothing of them is tested in `test/accounts`.
 */
export function withoutFullNumbers(items: readonly SourceItem[]): object[] {
  return items.map((item) => ({ ...item, numbers: undefined }))
}

export function itemsOf(pages: readonly Answers[], pull: Pull): SourceItem[] {
  return pages.flatMap((answers) => [...pull.read(answers)])
}

export function idsOf(items: readonly SourceItem[]): string[] {
  return items.map(({ origId }) => origId ?? '')
}

export function pullNamed({ pulls }: Pick<Connector, 'pulls'>, name = 'accounts'): Pull {
  const pull = pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`unknown pull ${name}`)
  return pull
}

/** Maps an item to its normalized record, and collects unknown enum values. */
export function mapperOf({ entities }: Pick<Connector, 'entities'>) {
  return (item: SourceItem): Record<string, unknown> & { unmapped: string[] } => {
    const entity = entities[item.entity]
    if (!('wire' in item) || !entity) throw new Error(`no record: ${item.origId}`)
    const unmapped: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
    const fields = Object.entries(entity.map.fields).map(([field, read]) => [field, read(item.wire as never, context)])
    return { ...Object.fromEntries(fields), unmapped }
  }
}

/** Normalized records of items that match the connector's schema of the source and have no unknown enum value. */
export function mapSamples(connector: Pick<Connector, 'entities'>, items: readonly SourceItem[]): Record<string, unknown>[] {
  const mapItem = mapperOf(connector)
  return items.map((item) => {
    const { unmapped, ...record } = mapItem(item)
    const mapping = connector.entities[item.entity]
    const fault = mapping && 'wire' in item ? findShapeFault(mapping, item.wire) : 'no record'
    if (fault !== null || unmapped.length > 0) throw new Error(`${item.origId}: ${fault ?? unmapped.join()}`)
    return record
  })
}

/** Documents of items as the API returns them, without those set aside. */
export function documentsOf(connector: Connector, items: readonly SourceItem[], name = 'accounts'): Record<string, unknown>[] {
  const pull = { name, delivers: [], fetch: async () => Promise.reject(new Error('unused')), read: () => items }
  const scope = {
    ...{ companyId: '5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02', serviceId: '9c1b2a33-1111-4222-8333-444455556666' },
    ...{ serviceName: 'A service', category: 'Banking' as const, fetchedAt: new Date(Date.UTC(2026, 10, 21)) },
  }
  return [...normalizePage(connector, pull, {}, scope, () => undefined)].flatMap((item) => ('doc' in item ? [JSON.parse(item.doc)] : []))
}

/** Records that a reader has after the items were applied in order. */
export function applyItems(held: Map<string, unknown>, items: readonly SourceItem[]): Map<string, unknown> {
  for (const item of items) {
    if ('removed' in item) held.delete(item.origId)
    else if ('wire' in item) held.set(item.origId, item.wire)
  }
  return held
}

/** The `SourceError` that a call throws; anything else fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<SourceError> {
  const outcome = await outcomeOf(call)
  if (outcome instanceof SourceError) return outcome
  throw new Error('expected a SourceError', { cause: outcome })
}

/** The input error that the form shows the owner. */
export async function refusalOf(call: Promise<unknown>): Promise<InputRefused> {
  const outcome = await outcomeOf(call)
  if (outcome instanceof InputRefused) return outcome
  throw new Error('expected an InputRefused', { cause: outcome })
}

/** What a call throws; null if it succeeds. */
export function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  )
}
