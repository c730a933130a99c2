import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { property } from '../toolkit/http/answers.ts'

/** Rows of a response. Any other value throws `badData`; it is never taken for an empty list. */
export function listItems(body: Json): Json[] {
  const items = property(body, 'Items')
  if (!Array.isArray(items)) throw new SourceError('badData', 'MYOB answered without Items')
  return items
}

export function rowId(row: Json | undefined): string | null {
  const id = property(row, 'UID')
  return typeof id === 'string' && id !== '' ? id : null
}
