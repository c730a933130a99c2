import { LAST_ID } from '../../model/values/first-id.ts'
import type { Database } from '../db/database.ts'
import { type FeedHead, findHead, findLoss, type LossReason } from './change-feed.ts'
import type { ChangedRecord, RecordMark } from './changed-record.ts'
import {
  type ChangeFilter,
  type FeedEntry,
  listChangedRecords,
  listPlaces,
  listPublished,
  listPublishedRecords,
  type PublishedMark,
} from './changed-records.ts'
import { type PlacedFeed, placeSteps } from './place-changes.ts'

/**
 * Position of a reader: at a place of the feed, read up to `mark`; or in the initial list of everything (`isStarting`),
 * after which reading continues behind the place.
 */
export type ChangePosition = FeedHead & ({ isStarting: false; mark: RecordMark | null } | { isStarting: true; mark: PublishedMark | null })

/** Changed record, or the end of all data of a company at a service. */
export type ChangeItem = { record: ChangedRecord; cleared: null } | { record: null; cleared: FeedEntry }

export interface ChangePage {
  items: ChangeItem[]
  next: ChangePosition
  hasMore: boolean
}

/**
 * Thrown for a position from which reading cannot continue. `foreign`: it belongs to another feed, or to none known to
 * this database.
 */
export class LostPosition extends Error {
  override readonly name = 'LostPosition'
  readonly why: LossReason | 'foreign'

  constructor(why: LossReason | 'foreign') {
    super(`the position in the change feed is ${why}`)
    this.why = why
  }
}

/** Places read by the first query of a page; each further query reads twice as many. */
const FIRST_PLACES = 8
const MOST_PLACES = 512
/** Places or publications without a record that a page skips before it is returned as it is. */
const PASSED_PLACES = 20_000
/** Steps in which one read assigns places: each takes some 10 ms. */
const STEPS = 4

/**
 * Next page of the feed; from the start, everything that is published and then the changes. Throws `LostPosition`. A
 * reader who continues from each page's `next` sees the last version of every record, and each after those committed
 * before it in its company and service. A page may be empty while more follow: in a large instance, the first reads
 * compare its publications, `steps` times 250 companies each.
 */
export async function readChanges(
  database: Database,
  instanceId: string,
  from: ChangePosition | null,
  filter: ChangeFilter,
  limit: number,
  steps = STEPS,
): Promise<ChangePage> {
  const feed = await findFeed(database, instanceId, from, steps)
  if (from && from.feedId !== feed.feedId) throw new LostPosition('foreign')
  const at = from === null || isStart(from) ? { ...headOf(feed), isStarting: true as const, mark: null } : from
  if (!feed.isCompared) return { items: [], next: at, hasMore: true }
  const reader = { database, instanceId, filter, limit }
  const page = at.isStarting ? await readAll(reader, at, feed) : await readOn(reader, at, feed)
  // Checked after the read: a place that was deleted meanwhile may have been missed.
  const lost = await findLoss(database, instanceId, at)
  if (lost) throw new LostPosition(lost)
  return page
}

/** Publications get their places after the initial list has been read, or before it begins. */
async function findFeed(database: Database, instanceId: string, from: ChangePosition | null, steps: number): Promise<PlacedFeed> {
  const known = from?.isStarting && !isStart(from) ? await findHead(database, instanceId) : null
  return known?.isCompared ? { ...known, isCurrent: false } : await placeSteps(database, instanceId, steps)
}

function headOf({ feedId, position, placeId }: FeedHead): FeedHead {
  return { feedId, position, placeId }
}

/** Whether nothing has been read yet. */
function isStart({ isStarting, mark }: ChangePosition): boolean {
  return isStarting && mark === null
}

interface Reader {
  database: Database
  instanceId: string
  filter: ChangeFilter
  limit: number
}

async function readOn(reader: Reader, at: ChangePosition & { isStarting: false }, feed: PlacedFeed): Promise<ChangePage> {
  const { database, instanceId, filter, limit } = reader
  const items: ChangeItem[] = []
  let from = { position: at.position, isOpen: at.mark !== null, until: feed.position }
  let passed = 0
  for (let count = FIRST_PLACES; ; count = Math.min(count * 2, MOST_PLACES)) {
    const places = await listPlaces(database, instanceId, from, filter, count)
    const [first, last] = [places[0], places.at(-1)]
    if (!first || !last) return { items, next: { ...headOf(feed), isStarting: false, mark: null }, hasMore: !feed.isCurrent }
    const mark = from.isOpen && first.position === at.position ? at.mark : null
    const room = limit + 1 - items.length
    const records = await listChangedRecords(database, instanceId, { first: first.position, last: last.position, mark }, filter, room)
    items.push(...inOrder(places, records))
    if (items.length > limit) return cutPage(items, limit, feed.feedId)
    passed += places.length
    if (passed >= PASSED_PLACES) return { items, next: toPosition(feed.feedId, last, null), hasMore: true }
    from = { ...from, position: last.position, isOpen: false }
  }
}

function inOrder(places: readonly FeedEntry[], records: readonly ChangedRecord[]): ChangeItem[] {
  const items: (ChangeItem & { position: bigint })[] = records.map((record) => ({
    record,
    cleared: null,
    position: BigInt(record.position),
  }))
  for (const place of places) if (place.kind === 'none') items.push({ record: null, cleared: place, position: BigInt(place.position) })
  return items.sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0))
}

/** First `limit` items; the reader continues after the last of them. */
function cutPage(all: ChangeItem[], limit: number, feedId: string): ChangePage {
  const items = all.slice(0, limit)
  const last = items.at(-1)
  const end = last?.record ?? last?.cleared
  if (!end) throw new RangeError('a page has at least one item')
  return { items, next: toPosition(feedId, end, last?.record ?? null), hasMore: true }
}

function toPosition(
  feedId: string,
  { position, placeId }: { position: string; placeId: string | null },
  mark: RecordMark | null,
): ChangePosition {
  return { feedId, position, placeId, isStarting: false, mark: mark && { entity: mark.entity, from: mark.from, id: mark.id } }
}

async function readAll(reader: Reader, at: ChangePosition & { isStarting: true }, feed: PlacedFeed): Promise<ChangePage> {
  const { database, instanceId, filter, limit } = reader
  const start = headOf(at)
  const items: ChangeItem[] = []
  let mark = at.mark
  let passed = 0
  for (let count = FIRST_PLACES; ; count = Math.min(count * 2, MOST_PLACES)) {
    const published = await listPublished(database, instanceId, mark, filter, count)
    const last = published.at(-1)
    if (last) {
      const room = limit + 1 - items.length
      const records = await listPublishedRecords(database, instanceId, { last, mark }, filter, room)
      items.push(...records.map((record) => ({ record, cleared: null })))
    }
    const end = items[limit - 1]?.record
    if (items.length > limit && end) {
      const { companyId, serviceId, entity, id } = end
      return {
        items: items.slice(0, limit),
        next: { ...start, isStarting: true, mark: { companyId, serviceId, entity, id } },
        hasMore: true,
      }
    }
    if (!last || published.length < count) {
      const hasMore = at.mark !== null || at.position !== feed.position || !feed.isCurrent
      return { items, next: { ...start, isStarting: false, mark: null }, hasMore }
    }
    mark = { ...last, entity: 'Transactions', id: LAST_ID }
    passed += published.length
    if (passed >= PASSED_PLACES) return { items, next: { ...start, isStarting: true, mark }, hasMore: true }
  }
}
