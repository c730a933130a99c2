import type { Entity } from '../../model/catalogue.ts'
import { type Database, type Db, readRows } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'
import { toPublicationKey } from './publication-key.ts'
import { DOCUMENT_START, type RecordView } from './record-pages.ts'
import { firstPublished, inRecordSet, NOT_DELETED, type RecordScope, visibleFrom } from './records.ts'

/** Publication to which a list is pinned. Times are as the database prints them, to the microsecond. */
export interface ListPin {
  /** The list is read as of this publication. */
  shownAt: string
  /** If retention has deleted versions that ended after this time, the list can no longer be read. */
  keptFrom: string
  /** Connection that publishes; another connection would replace its data. */
  firstPublishedAt: string | null
  accounts: number
  transactions: number
}

/** Instance, company and service. */
const OF_LIST = ['$2', '$3', '$4'] as const

/** Pins a list to the current publication, or to that at `asOf`; null if nothing is published. */
export async function pinList(db: Db, scope: RecordScope, asOf: Date | null): Promise<ListPin | null> {
  const { rows } = await db.query<ListPin>(
    `select least(published_at, $5::timestamptz)::text as "shownAt", least(clock_timestamp(), $5::timestamptz)::text as "keptFrom",
       ${firstPublished(db, OF_LIST)}::text as "firstPublishedAt", accounts, transactions from publications where key = $1 and company_id = $3`,
    [toPublicationKey(scope), scope.instanceId, scope.companyId, scope.serviceId, asOf],
  )
  return rows[0] ?? null
}

/** Selection of records in a pinned list. */
export interface PinnedSelection {
  entity: Entity
  filter: Filter
  columns: Columns
  view: Pick<RecordView, 'modifiedSince' | 'includeDeleted'>
  /** Records examined per piece; the filter may keep any number of them. */
  limit: number
}

export interface PinnedPiece<T> {
  written: T
  lastId: string
  isLast: boolean
}

/**
 * Reads the next piece of a pinned list in order of ids, and returns the result of `write` for it; later publications
 * do not affect it. `after` is the id before the first. Null if not all records of the pin are stored any more.
 */
export async function readPinnedPiece<T>(
  database: Database,
  scope: RecordScope,
  pin: ListPin,
  { entity, filter, columns, view, limit }: PinnedSelection,
  after: string,
  write: (documents: readonly Buffer[]) => T,
): Promise<PinnedPiece<T> | null> {
  const values: unknown[] = [toPublicationKey(scope), scope.instanceId, scope.companyId, scope.serviceId, entity]
  values.push(after, pin.shownAt, limit, pin.firstPublishedAt, pin.keptFrom)
  const shownFrom = visibleFrom(database, 'r', OF_LIST)
  const since = view.modifiedSince ? ` and ${shownFrom} >= $${values.push(view.modifiedSince)}` : ''
  // NOTE the limit is applied before the filter, so that a selective filter takes no longer than one that matches
  // everything.
  const text = `with seen as materialized (
      select r.id, r.doc, r.sort_key, r.valid_from from record_versions r
      where ${inRecordSet('r', { first: 2, entity: '$5' })} and r.id > $6 and ${shownFrom} <= $7::timestamptz
        and (r.valid_to is null or r.valid_to > $7::timestamptz)${view.includeDeleted ? '' : ` and r.${NOT_DELETED}`}
      order by r.id limit $8)
    select concat_ws(' ', (select count(*) from seen), (select id from seen order by id desc limit 1)) from publications
    where key = $1 and company_id = $3 and ${firstPublished(database, OF_LIST)} is not distinct from $9::timestamptz
      and ${database.isDistributed ? '$10::timestamptz is not null' : `not exists (${PASSED} > $10::timestamptz)`}
    union all (select r.doc from seen r where ${toCondition(filter, columns, values)}${since} order by r.id)`
  const piece = await readRows(database, { text, values }, (rows) => {
    // The two parts of the union are unordered.
    const head = rows.find((row) => row[0] !== DOCUMENT_START)
    if (!head) return null
    const [seen, lastId = after] = head.toString().split(' ')
    return { written: write(rows.filter((row) => row !== head)), lastId, isLast: Number(seen) < limit }
  })
  // NOTE after the read: the horizon is raised before the first version is deleted.
  return database.isDistributed && (await isPassed(database, pin)) ? null : piece
}

/** Horizon of versions that have been deleted. */
const PASSED = 'select from version_horizon where before'

async function isPassed(db: Db, { keptFrom }: ListPin): Promise<boolean> {
  const { rowCount } = await db.query(`${PASSED} > $1::timestamptz`, [keptFrom])
  return rowCount === 1
}
