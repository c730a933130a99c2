import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { property } from '../toolkit/answers.ts'

/** The rows below a key of an answer. Anything that is no such list throws `badData`; it never looks like an empty one. */
export function listRows(body: Json, key: string): Json[] {
  const rows = property(body, key)
  if (!Array.isArray(rows)) throw new SourceError('badData', `FreeAgent answered without ${key}`)
  return rows
}

/** A record's id is its address. */
export function rowUrl(row: Json | undefined): string | null {
  const url = property(row, 'url')
  return typeof url === 'string' && url !== '' ? url : null
}

/** The last part of an address, which is the id within its kind: `750-1` of `https://api.freeagent.com/v2/categories/750-1`. */
export function lastPart(url: string): string {
  return url.replace(/\/+$/, '').split('/').at(-1) ?? ''
}

/** The kind and the id in an address: `invoices/12`. */
export function kindAndId(url: string): string {
  return url.replace(/\/+$/, '').split('/').slice(-2).join('/')
}
