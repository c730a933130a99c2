import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import type { Profile } from './profile.ts'

/** Position in a paginated list. */
export type Position = {
  /** The bank's key of the next page; null for the first one, and for offset pagination. */
  key: string | null
  /** Rows read before it. */
  offset: number
  /** Id of the previous page's first row, by which a repeated page is detected. */
  first: string | null
}

export const START: Position = { key: null, offset: 0, first: null }

export const PositionWire = Type.Object({
  key: Type.Union([Type.String(), Type.Null()]),
  offset: Type.Integer({ minimum: 0 }),
  first: Type.Union([Type.String(), Type.Null()]),
})

const isPaged = Compile(
  Type.Object({
    page: Type.Object({
      nextPageKey: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
      nextOffset: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
      totalElements: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    }),
  }),
)

/** Query of the page at a position: keys are FDX 6, offsets (numbers or handles of the bank) the older versions. */
export function pageQuery({ paging }: Profile, { key, offset }: Position): Record<string, string> {
  const name = paging.by === 'key' ? 'pageKey' : 'offset'
  const place = key ?? (paging.by === 'offset' && offset > 0 ? String(offset) : null)
  return { limit: String(paging.size), ...(place === null ? {} : { [name]: place }) }
}

/**
 * Position after a page, null at the end. `isShort`: the list ended before the announced number of rows. A page that
 * links to itself, or that is repeated, throws `badData`: the rows after it would be lost silently.
 */
export function readNext(
  { paging }: Profile,
  body: Json,
  at: Position,
  rows: { count: number; first: string | null },
): { next: Position | null; isShort: boolean } {
  if (at.first !== null && rows.first === at.first) throw new SourceError('badData', 'the bank gave the page before once more')
  const page = isPaged.Check(body) ? body.page : null
  const told = (paging.by === 'key' ? page?.nextPageKey : null) ?? page?.nextOffset ?? null
  const key = told === null || told === '' ? null : String(told)
  if (key !== null && key === at.key) throw new SourceError('badData', 'more pages are promised, but the bank points at the same one')
  // A page with more rows than requested advances by the requested number only, so that no row is skipped.
  const offset = at.offset + Math.min(rows.count, paging.size)
  const isShort = offset < (page?.totalElements ?? 0)
  if (key !== null) return { next: { key, offset, first: rows.first }, isShort: false }
  if (isShort && paging.by === 'offset' && at.key === null && rows.count > 0)
    return { next: { key: null, offset, first: rows.first }, isShort: false }
  return { next: null, isShort }
}

/** Rows of a response; one without a list throws `badData`, since it must not be taken for an empty one. */
export function listRows(body: Json, name: string): Json[] {
  const list = isJsonObject(body) ? body[name] : null
  if (Array.isArray(list)) return list
  throw new SourceError('badData', `the answer holds no list of ${name}`)
}
