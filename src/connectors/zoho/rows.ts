import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { property } from '../toolkit/http/answers.ts'

/** Rows of a list. Any other response throws `badData`. */
export function listRows(body: Json, name: 'chartofaccounts' | 'journals' | 'bankaccounts'): Json[] {
  const rows = property(body, name)
  if (!Array.isArray(rows)) throw new SourceError('badData', `Zoho answered no list of ${name}`)
  return rows
}

/** Property that is a non-empty text. */
export function textAt(row: Json | undefined, name: string): string | null {
  const value = property(row, name)
  return typeof value === 'string' && value !== '' ? value : null
}
