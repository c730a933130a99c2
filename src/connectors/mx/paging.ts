import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import type { Pagination } from './wire.ts'

/** Maximum page size: above 1,000 MX falls back to 25. Source: records_per_page in its OpenAPI document */
export const PAGE_SIZE = 1_000

/** Position of a run in numbered pages. */
export type PageCursor = {
  page: number
  /** Total number of entries by the first page; null before it. */
  total: number | null
  /** Rows read so far. */
  count: number
  /** First id of the previous page: a repeated page is not a new one. */
  first: string | null
}

export const START: PageCursor = { page: 1, total: null, count: 0, first: null }

/** Cursor after a page, null after the last one. Throws `badData` when the pages are inconsistent. */
export function cursorAfter(place: PageCursor, ids: readonly (string | null)[], pagination: Pagination, what: string): PageCursor | null {
  const first = ids[0] ?? null
  if (place.page > 1 && first !== null && first === place.first) throw new SourceError('badData', `${what}: a page came twice`)
  const total = place.total ?? pagination.total_entries
  const count = place.count + ids.length
  if (pagination.total_entries !== total) throw new SourceError('badData', `${what}: the list changed while it was read`)
  if (pagination.current_page < pagination.total_pages) {
    if (ids.length === 0) throw new SourceError('badData', `${what}: a page before the last one is empty`)
    return { page: place.page + 1, total, count, first }
  }
  if (count < total) throw new SourceError('badData', `${what}: ${count} entries came of ${total}`)
  return null
}

export function readCursor(value: Json | undefined): PageCursor {
  if (!isJsonObject(value)) throw notOurs()
  const { page, total, count, first } = value
  if (
    !isCount(page) ||
    page < 1 ||
    !isCount(count) ||
    !(total === null || isCount(total)) ||
    !(first === null || typeof first === 'string')
  ) {
    throw notOurs()
  }
  return { page, total, count, first }
}

/** Guids of rows, null for a row without one. */
export function guidsOf(rows: readonly unknown[]): (string | null)[] {
  return rows.map((row) => (isJsonObject(row) && typeof row.guid === 'string' && row.guid !== '' ? row.guid : null))
}

export function notOurs(): SourceError {
  return new SourceError('badData', 'the cursor is not one of ours')
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
