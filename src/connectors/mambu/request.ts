import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, peekJson, property, responseJson } from '../toolkit/http/answers.ts'
import { throwForStatus } from '../toolkit/http/status-failures.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { ListAnswer } from './wire.ts'

const TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024
/** Wait after a 429, which has no Retry-After. Source: https://docs.mambu.com/docs/api-rate-limiting */
const WAIT_MS = 60_000
/** Maximum repetitions of a page that was already read before the run fails. */
const MAX_REPEATS = 3

const Secret = Type.Object({
  /** `https://tenant.mambu.com`; no trailing slash. */
  address: Type.String(),
  apiKey: Type.String(),
  /** Id as typed by the owner; either may be requested. */
  holderId: Type.String(),
  holder: Type.Union([Type.Literal('clients'), Type.Literal('groups')]),
})
export type MambuSecret = Static<typeof Secret>

export const readSecret = secretReader(Secret, 'Mambu')

/** Tenant, the first label of the host: Mambu has no other name of the bank. */
export function tenantOf({ address }: MambuSecret): string {
  const { hostname } = new URL(address)
  return hostname.endsWith('.mambu.com') ? (hostname.split('.')[0] ?? hostname) : hostname
}

/** GET with the API key; the response may have any status. */
export function get(kit: Kit, { address, apiKey }: Pick<MambuSecret, 'address' | 'apiKey'>, path: string): Promise<HttpResponse> {
  return kit.http({
    url: `${address}/api/${path}`,
    headers: { accept: 'application/vnd.mambu.v2+json', apikey: apiKey },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

export async function ask<S extends TSchema>(
  kit: Kit,
  secret: MambuSecret,
  path: string,
  shape: S,
  what: string,
): Promise<{ body: Uint8Array; headers: Record<string, string>; answer: Static<S> }> {
  const response = await get(kit, secret, path)
  refuse(kit, response, what)
  const answer = await responseJson(response, `Mambu ${what}`)
  if (!Check(shape, answer)) throw new SourceError('badData', `Mambu: ${what} has an unknown shape`)
  return { body: response.body, headers: response.headers, answer }
}

export function refuse(kit: Kit, response: HttpResponse, what: string): void {
  throwForStatus(kit, response, { source: 'Mambu', what, code: errorReason(response), waitMs: WAIT_MS })
}

/**
 * Error reason such as `INVALID_PERMISSIONS`; empty when the response is not from Mambu. Never `errorSource`, which may
 * quote the request.
 */
export function errorReason(response: HttpResponse): string {
  const errors = property(peekJson(response), 'errors')
  const reason = Array.isArray(errors) ? property(errors[0], 'errorReason') : null
  return typeof reason === 'string' && /^[A-Z_]{3,80}$/.test(reason) ? reason : ''
}

/** Position in a list: `last` is the key of the previous row, `total` the first page's total. */
export interface PageCursor {
  offset: number
  last: string
  total: number
}

export const START: PageCursor = { offset: 0, last: '', total: -1 }

export interface ListPage {
  body: Uint8Array
  rows: unknown[]
  /** Null after the last page. `START`: the list changed in size in the meantime, so a row may have been skipped. */
  next: PageCursor | null
}

/** One page of a list with offset pagination. A repeated page is requested again. */
export async function readList(kit: Kit, secret: MambuSecret, path: string, place: PageCursor, limit: number): Promise<ListPage> {
  const what = path.replace(/\?.*$/, '').replace(/\/[^/]+\//, '/…/')
  const paging = `offset=${place.offset}&limit=${limit}&paginationDetails=ON`
  for (let repeats = 0; ; repeats++) {
    const { body, headers, answer: rows } = await ask(kit, secret, `${path}${path.includes('?') ? '&' : '?'}${paging}`, ListAnswer, what)
    const last = keyOf(rows.at(-1)) ?? ''
    const total = Number(headers['items-total'] ?? Number.NaN)
    if (place.total >= 0 && Number.isInteger(total) && total !== place.total) return { body, rows, next: START }
    const isRepeated = place.last !== '' && last === place.last
    const isShort = rows.length === 0 && Number.isInteger(total) && place.offset < total
    if (isRepeated || isShort) {
      if (repeats < MAX_REPEATS) continue
      throw new SourceError('badData', `Mambu gave no new rows of ${what} behind number ${place.offset}`)
    }
    const offset = place.offset + limit
    const hasMore = Number.isInteger(total) ? offset < total : rows.length >= limit
    return { body, rows, next: hasMore ? { offset, last, total: Number.isInteger(total) ? total : -1 } : null }
  }
}

export function keyOf(row: unknown): string | null {
  return isJsonObject(row) && typeof row.encodedKey === 'string' && row.encodedKey !== '' ? row.encodedKey : null
}
