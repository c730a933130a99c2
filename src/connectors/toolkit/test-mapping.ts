import { BANK_ACCOUNT } from '../../model/records/bank-account.ts'
import { SourceError, type SourceItem } from '../contract/contract.ts'
import type { AnyMapping } from '../contract/mapping.ts'

/** Fields that most sources report for an account. */
const USUAL: ReadonlySet<string> = new Set(['actualBalance', 'actualBalanceDate', 'sourceUpdatedDate'])

/** The other optional fields of a bank account, as null. */
export const NO_UNMAPPED: Readonly<Record<string, null>> = Object.fromEntries(
  BANK_ACCOUNT.properties.filter(({ name, isNullable }) => isNullable && !USUAL.has(name)).map(({ name }) => [name, null]),
)

/** An accounting account of which the source says nothing, without its id. */
export const EMPTY_ACCOUNT = {
  number: '',
  name: '',
  currency: '',
  description: '',
  classApp: '',
  classSystem: 'UNKNOWN',
  typeApp: '',
  typeSystem: 'OTHER',
  subTypeApp: '',
  subTypeSystem: '',
  statusApp: '',
  statusSystem: 'UNKNOWN',
}

/** The record that a mapping makes, and what it did not know, as `field: word`. */
export function runMapping(map: AnyMapping, wire: unknown, fetchedAt = new Date(0)) {
  const unmapped: string[] = []
  return { record: mapRecord(map, wire, fetchedAt, unmapped), unmapped }
}

/** Runs every field of a mapping, as the engine does. Adds unmapped values to `unmapped` as `field: word`. */
export function mapRecord({ fields }: AnyMapping, wire: unknown, fetchedAt: Date, unmapped: string[] = []): Record<string, unknown> {
  const context = { fetchedAt, unmapped: (field: string, word: string) => void unmapped.push(`${field}: ${word}`) }
  return Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(wire, context)]))
}

/** Kind of the `SourceError` that a reader throws; `no error`, or the text of another error. For tests. */
export function kindOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    return error instanceof SourceError ? error.kind : String(error)
  }
  return 'no error'
}

/** Reason why the first item is unreadable; null if it can be read. For tests. */
export function reasonOf(items: Iterable<SourceItem>): string | null {
  const [item] = [...items]
  return item && 'unreadable' in item ? item.unreadable : null
}
