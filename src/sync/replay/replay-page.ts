import { setImmediate } from 'node:timers/promises'
import type { Answers, Connector, Pull } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { Entity } from '../../model/catalogue.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'
import type { QuarantinedRecord } from '../../store/records/quarantine.ts'
import { listQuarantinedOfPage, listReplayTargets, type ReplayTarget } from '../../store/records/replay-records.ts'
import { openPageScope } from '../runs/aliases.ts'
import { isOlder, type NormalizedItem, normalizeItems, type OnUnmapped } from '../runs/normalize.ts'
import { readItems } from '../runs/read-items.ts'

/** Records compared per batch: bounds memory for any page size. */
const BATCH = 2_000
/** Records normalized per slice: requests are served in between. */
const SLICE = 20

export interface StoredPage {
  id: string
  pull: Pull
  answers: Answers
  fetchedAt: Date
}

/** Record as it would be published now, beside the published one. */
export interface ReplayedRecord {
  record: Normalized
  /** Null where nothing is published under its id. */
  before: string | null
  /** Whether it was quarantined until now. */
  isMended: boolean
  isChanged: boolean
}

/** Result of the current mapping for some of a page's published or quarantined records. */
export interface ReplayedBatch {
  records: ReplayedRecord[]
  setAside: QuarantinedRecord[]
  unmapped: { entity: Entity; field: string; word: string }[]
}

type Normalized = Extract<NormalizedItem, { doc: string }>
type Refused = Extract<NormalizedItem, { reason: string }>
interface NormalizedRow {
  item: Normalized | Refused
  words: ReplayedBatch['unmapped']
}

/**
 * Normalizes a stored page again. Only records published from this very page count, and those of it quarantined by a
 * published run: a page may also contain records that were never published or have been replaced since.
 */
export async function* replayPage(
  db: Db,
  work: { connection: Connection; source: Pick<Source, 'files' | 'description'>; connector: Connector; serviceName: string },
  page: StoredPage,
): AsyncGenerator<ReplayedBatch> {
  const { connection, source, connector, serviceName } = work
  const { fetchedAt } = page
  const read = () => readItems(source, connector, page.pull, page.answers)
  const scope = await openPageScope(db, connection, { serviceName, fetchedAt }, read)
  const listed = await listQuarantinedOfPage(db, connection, page.id)
  const setAside = new Set(listed.map(({ entity, origId }) => `${entity}\n${origId}`))
  const context = { db, connection, page, setAside }
  let words: ReplayedBatch['unmapped'] = []
  let batch: NormalizedRow[] = []
  const note: OnUnmapped = (entity, field, word) => words.push({ entity, field, word })
  let before = 0
  for await (const raw of read()) {
    for (const item of normalizeItems(connector, raw, scope, note, before)) {
      before += 1
      if (!('removed' in item)) batch.push({ item, words })
      words = []
      if (before % SLICE === 0) await setImmediate()
      if (batch.length < BATCH) continue
      yield await compare(context, batch)
      batch = []
    }
  }
  if (batch.length > 0) yield await compare(context, batch)
}

interface ReplayPageContext {
  db: Db
  connection: Connection
  page: StoredPage
  /** Entity and origId of the page's quarantined records. */
  setAside: ReadonlySet<string>
}

async function compare(context: ReplayPageContext, batch: NormalizedRow[]): Promise<ReplayedBatch> {
  const { page } = context
  const targets = await targetsOf(context, batch)
  const setAside: QuarantinedRecord[] = []
  const unmapped: ReplayedBatch['unmapped'] = []
  const records = new Map<string, ReplayedRecord>()
  for (const { item, words } of batch) {
    const target = item.id === null ? undefined : targets.get(`${item.entity}\n${item.id}`)
    if (!isWanted(context, item, target)) continue
    unmapped.push(...words)
    if ('reason' in item) {
      const origId = item.origId ?? `#${page.id}/${item.rawIndex}`
      setAside.push({ entity: item.entity, origId, reason: item.reason, rawPageId: page.id, rawIndex: item.rawIndex })
      continue
    }
    const key = `${item.entity}\n${item.id}`
    const known = records.get(key)
    if (known && isOlder(item.sourceVersion, known.record.sourceVersion)) continue
    const isMended = context.setAside.has(`${item.entity}\n${item.origId}`)
    const isChanged = !target || isMended || Buffer.compare(target.contentHash, item.contentHash) !== 0
    records.set(key, { record: item, before: target?.doc ?? null, isMended, isChanged })
  }
  return { records: [...records.values()], setAside, unmapped }
}

async function targetsOf({ db, connection }: ReplayPageContext, batch: NormalizedRow[]): Promise<Map<string, ReplayTarget>> {
  const targets = new Map<string, ReplayTarget>()
  for (const [entity, found] of Map.groupBy(batch, ({ item }) => item.entity)) {
    const ids = found.flatMap(({ item }) => item.id ?? [])
    for (const target of await listReplayTargets(db, connection, entity, ids)) targets.set(`${entity}\n${target.id}`, target)
  }
  return targets
}

/** A tombstone stays, and so does a record published from another connection or a later page. */
function isWanted(
  { connection, page, setAside }: ReplayPageContext,
  item: Normalized | Refused,
  target: ReplayTarget | undefined,
): boolean {
  if (item.origId === null) return setAside.has(`${item.entity}\n#${page.id}/${item.rawIndex}`)
  if (target?.deleted || (target && target.connectionId !== connection.id)) return false
  return target?.rawPageId === page.id || setAside.has(`${item.entity}\n${item.origId}`)
}
