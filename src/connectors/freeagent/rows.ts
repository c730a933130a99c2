import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { property } from '../toolkit/http/answers.ts'

/** Rows below a key of a response. Any other value throws `badData`; it is never taken for an empty list. */
export function listRows(body: Json, key: string): Json[] {
  const rows = property(body, key)
  if (!Array.isArray(rows)) throw new SourceError('badData', `FreeAgent answered without ${key}`)
  return rows
}

/** Record id, which is its URL. */
export function rowUrl(row: Json | undefined): string | null {
  const url = property(row, 'url')
  return typeof url === 'string' && url !== '' ? url : null
}

/** Last part of a URL, which is the id within its kind: `750-1` of `https://api.freeagent.com/v2/categories/750-1`. */
export function lastPart(url: string): string {
  return url.replace(/\/+$/, '').split('/').at(-1) ?? ''
}

/** Kind and id in a URL: `invoices/12`. */
export function kindAndId(url: string): string {
  return url.replace(/\/+$/, '').split('/').slice(-2).join('/')
}
