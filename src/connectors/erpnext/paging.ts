import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import type { Row } from './request.ts'

/** Maximum repetitions of a page that was already read before the run fails. */
const MAX_REPEATS = 3

/**
 * Page cursor: the page begins after this name, in the collation of the site's database, which only the database knows.
 */
const PageCursor = Type.Object({ after: Type.String(), repeats: Type.Integer() })

function readCursor(cursor: Json | null): { after: string; repeats: number } {
  return Value.Check(PageCursor, cursor) ? cursor : { after: '', repeats: 0 }
}

/**
 * Cursor of the page after these rows; null when they were the last. A page that ends where it should begin is outdated
 * and is requested again.
 */
export function nextCursor(cursor: Json | null, rows: readonly Row[], pageSize: number): { after: string; repeats: number } | null {
  const { after, repeats } = readCursor(cursor)
  const last = rows.findLast(({ name }) => typeof name === 'string')?.name
  if (last !== undefined && last === after) {
    if (repeats >= MAX_REPEATS) throw new SourceError('badData', `ERPNext gave the same page ${repeats + 1} times`)
    return { after, repeats: repeats + 1 }
  }
  if (rows.length < pageSize) return null
  if (typeof last !== 'string') throw new SourceError('badData', 'ERPNext gave a page of records without names')
  return { after: last, repeats: 0 }
}

/** Filter for the rows after the cursor. */
export function afterClause(cursor: Json | null): Json[] {
  const { after } = readCursor(cursor)
  return after === '' ? [] : [['name', '>', after]]
}
