import { Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { countRestart, cursorReader } from '../toolkit/cursors.ts'
import { firstId, LISTS, type ListName } from './read.ts'
import type { ConnectionWire } from './wire.ts'

const ListCursor = Type.Object({
  /** Next page, from 1. */
  page: Type.Integer({ minimum: 1 }),
  /** Accounts of the previous pages. */
  read: Type.Integer({ minimum: 0 }),
  /** `totalCount` of the previous page. */
  total: Type.Union([Type.Integer(), Type.Null()]),
  /** First id of the previous page: a page that begins with it is a repetition. */
  firstId: Type.Union([Type.String(), Type.Null()]),
})
type ListCursor = Type.Static<typeof ListCursor>

const Cursor = Type.Object({
  /** Null once the list has been read to its end. */
  active: Type.Union([ListCursor, Type.Null()]),
  archived: Type.Union([ListCursor, Type.Null()]),
  restarts: Type.Integer({ minimum: 0 }),
})
export type Cursor = Type.Static<typeof Cursor>
const readCursor = cursorReader(Cursor)

const START: ListCursor = { page: 1, read: 0, total: null, firstId: null }

export function toCursor(stored: Json | null): Cursor {
  return stored === null ? startCursor(0) : readCursor(stored)
}

/** Cursor after a page with these lists; null when both are at their end. */
export function advance(cursor: Cursor, lists: Record<ListName, ConnectionWire | null>): Cursor | null {
  const next: Cursor = { ...cursor }
  for (const name of LISTS) {
    const at = cursor[name]
    const list = lists[name]
    if (at === null) continue
    if (list === null) throw new SourceError('badData', `Wave answered without the ${name} accounts`)
    const step = advanceList(at, list)
    if (step === 'moved') return startCursor(countRestart(cursor.restarts))
    next[name] = step
  }
  return next.active === null && next.archived === null ? null : next
}

/**
 * Pages are numbered, so an added or removed account shifts all others: when `totalCount` changes, or the previous page
 * is repeated, the listing restarts. One that ends before `totalCount` is bad data.
 */
function advanceList(at: ListCursor, list: ConnectionWire): ListCursor | 'moved' | null {
  const { currentPage, totalPages, totalCount } = list.pageInfo
  const first = firstId(list)
  const read = at.read + list.edges.length
  const total = totalCount ?? null
  const hasNext = at.page < (totalPages ?? 0)
  const isRepeated = at.page > 1 && first !== null && first === at.firstId
  const isMoved = at.page > 1 && total !== at.total
  if (isRepeated || isMoved || currentPage !== at.page || (hasNext && list.edges.length === 0)) return 'moved'
  if (hasNext) return { page: at.page + 1, read, total, firstId: first }
  if (total !== null && read < total) throw new SourceError('badData', `Wave ended a list of ${total} accounts after ${read}`)
  return null
}

function startCursor(restarts: number): Cursor {
  return { active: START, archived: START, restarts }
}
