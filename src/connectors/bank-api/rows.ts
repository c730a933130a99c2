import { createHash } from 'node:crypto'
import { slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { addressOf, cursorAfter, type PageCursor } from './paging.ts'
import { fill, fillPath, partsOf, valueAt } from './pointers.ts'
import type { AccountList, TransactionList } from './profile.ts'
import { ask, type Caller } from './request.ts'
import { valuesOf } from './tokens.ts'

/** Rows hashed in one step. */
const SLICE = 200

/** One page of a list as received from the bank. */
export interface RowPage {
  bytes: Uint8Array
  rows: Json[]
  after: PageCursor | null
}

/** Fetches a page of rows. `more`: values for this list's templates besides keys and fields. */
export async function fetchRows(
  caller: Caller,
  list: AccountList | TransactionList,
  place: PageCursor,
  more: { values?: Record<string, string>; query?: Record<string, string> } = {},
): Promise<RowPage> {
  const values = { ...valuesOf(caller.kit, caller.secret), ...more.values }
  const base = new URL(`${caller.kit.hosts.api}${fillPath(list.path, values)}`)
  for (const [name, template] of Object.entries(list.query ?? {})) base.searchParams.set(name, fill(template, values))
  for (const [name, value] of Object.entries(more.query ?? {})) base.searchParams.set(name, value)
  const url = addressOf(list.paging, base.href, place)
  const what = `the list "${list.name}"`
  const { response, body } = await ask(caller, url, what)
  const rows = rowsIn(body, list.rows, what)
  const page = { body, rows: rows.length, mark: await digestOf(rows), url }
  return { bytes: response.body, rows, after: cursorAfter(list.paging, place, page) }
}

/** Digest of the rows, computed a slice at a time: a page may have many. */
async function digestOf(rows: readonly Json[]): Promise<string> {
  const hash = createHash('sha256')
  for await (const slice of slicesOf(rows, SLICE)) hash.update(JSON.stringify(slice))
  return hash.digest('base64url')
}

/** Array at a list's pointer; anything else throws and is never taken for an empty list. */
export function rowsIn(body: Json, pointer: string, what: string): Json[] {
  const rows = valueAt(body, partsOf(pointer))
  if (!Array.isArray(rows)) throw new SourceError('badData', `the bank answered no rows to ${what}`)
  return rows
}

/** Row with additional values; null for a value that is no record. */
export function withMore(row: Json, more: { [name: string]: Json }): { [name: string]: Json } | null {
  return isJsonObject(row) ? { ...row, ...more } : null
}
