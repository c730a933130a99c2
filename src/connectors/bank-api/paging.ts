import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { partsOf, valueAt } from './pointers.ts'
import type { Paging } from './profile.ts'

/** Position in a list; kept in cursors. */
export const PageCursor = Type.Object({
  /** Number of this page, from 0. */
  page: Type.Integer({ minimum: 0 }),
  /** Token or URL of this page. */
  next: Type.Optional(Type.String()),
  carried: Type.Optional(Type.String()),
  /** Hash of the previous page's ids: a repeated page means a list without an end. */
  before: Type.Optional(Type.String()),
})
export type PageCursor = Static<typeof PageCursor>

export const START: PageCursor = { page: 0 }

/** Upper bound on pages, above the length of any list. */
const MAX_PAGES = 100_000

/** URL of a page; `base` holds host, path and the list's own query. */
export function addressOf(paging: Paging, base: string, place: PageCursor): string {
  const url = new URL(base)
  const query = url.searchParams
  if (paging.by === 'link' && place.next !== undefined) return place.next
  if ('size' in paging && paging.size) query.set(paging.size.parameter, String(paging.size.rows))
  if (paging.by === 'token' && place.next !== undefined) query.set(paging.parameter, place.next)
  if (paging.by === 'page') query.set(paging.parameter, String(place.page + paging.first))
  if (paging.by === 'offset') query.set(paging.parameter, String(place.page * paging.size.rows + paging.first))
  if ('carry' in paging && paging.carry && place.carried !== undefined) query.set(paging.carry.parameter, place.carried)
  return url.href
}

/**
 * Cursor after a page; null after the last one. `mark` identifies the rows of the page. Throws `badData` for a list
 * that does not end.
 */
export function cursorAfter(
  paging: Paging,
  place: PageCursor,
  page: { body: Json; rows: number; mark: string; url: string },
): PageCursor | null {
  const { body, rows, mark, url } = page
  if (rows > 0 && mark === place.before) throw new SourceError('badData', 'the bank answered the same page twice')
  if (place.page >= MAX_PAGES) throw new SourceError('badData', 'the list of the bank does not end')
  const after = { page: place.page + 1, before: mark }
  switch (paging.by) {
    case 'none':
      return null
    case 'page':
    case 'offset': {
      const total = paging.total === undefined ? null : Number(valueAt(body, partsOf(paging.total)) ?? Number.NaN)
      if (!isLast(rows, after.page * paging.size.rows, paging.size.rows, total)) return { ...after, ...carriedBy(paging, place, body) }
      return null
    }
    case 'token': {
      const next = textAt(body, paging.next)
      if (next === '' || next === null) return null
      if (next === place.next) throw new SourceError('badData', 'the bank named the same page twice')
      return { ...after, next }
    }
    case 'link': {
      const next = textAt(body, paging.next)
      if (next === '' || next === null) return null
      const address = URL.parse(next, url)
      // NOTE the bank's credentials are sent to no other origin.
      if (address === null || address.origin !== new URL(url).origin) throw new SourceError('badData', 'the next page is at another host')
      if (address.href === url) throw new SourceError('badData', 'the bank named the same page twice')
      return { ...after, next: address.href }
    }
  }
}

/** `reached` counts by pages, not by rows: a duplicated row shifts nothing. */
function isLast(rows: number, reached: number, size: number, total: number | null): boolean {
  if (total === null) return rows < size
  if (!Number.isSafeInteger(total) || total < 0) throw new SourceError('badData', 'the bank did not say how many rows there are')
  if (reached >= total) return true
  if (rows === 0) throw new SourceError('badData', 'the list ended before its own total')
  return false
}

function carriedBy(paging: Extract<Paging, { by: 'page' | 'offset' }>, place: PageCursor, body: Json): { carried?: string } {
  if (!paging.carry) return {}
  const carried = place.carried ?? textAt(body, paging.carry.from)
  return carried === null ? {} : { carried }
}

function textAt(body: Json, pointer: string): string | null {
  const value = valueAt(body, partsOf(pointer))
  if (value === undefined || value === null || value === false) return null
  if (typeof value !== 'string' && typeof value !== 'number') throw new SourceError('badData', 'the bank named no next page')
  return String(value)
}
