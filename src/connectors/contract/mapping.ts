import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import { kindDisplayName } from '../../model/records/banking.ts'

export type NormalizedRecord = AccountingAccount | AccountingTransaction | BankAccount | BankTransaction

/** Context of a mapping function, apart from its record. */
export interface MapContext {
  /** When the page was received; the same on replay. */
  fetchedAt: Date
  /** Reports a value that the mapping does not know; it is counted, the record is kept. */
  unmapped(field: string, word: string): void
}

/** One function per normalized field. A recording proxy shows which raw paths each field was read from. */
export type Mapping<Wire, Model> = { readonly [Field in keyof Model]-?: (wire: Wire, context: MapContext) => Model[Field] }

/** Mapping whose wire type was checked by `mapping` and is opaque to the engine. */
export interface AnyMapping {
  /** Raised whenever a change of the mapping may change a result. */
  version: number
  fields: Readonly<Record<string, (wire: unknown, context: MapContext) => unknown>>
  /** Observation dates, which are not facts of the record: a change of them alone creates no new version. */
  observed?: readonly string[]
  /** For mappings built from rules in a file: the rule of a field, shown in explanations instead of code. */
  describe?(field: string, wire: unknown): string
  /**
   * Property by which such a mapping chooses its rules. The connector has added it to the record, so that explanations do
   * not show it as source data.
   */
  chosenBy?: string
}

export function mapping<Wire, Model extends NormalizedRecord>(version: number, fields: Mapping<Wire, Model>): AnyMapping {
  // Only the connector knows the type of its wire records; the engine validates them against their schema.
  return { version, fields: fields as AnyMapping['fields'] }
}

/** Builds a record from the results of all fields of a mapping. */
export function toRecord(fields: Readonly<Record<string, unknown>>): NormalizedRecord {
  // `mapping` has checked each function against the type of its field; the connector knows the kind of record.
  return fields as unknown as NormalizedRecord
}

/** Account fields in which a source may report the time of its own query. */
type ObservedField = 'actualBalanceDate' | 'sourceUpdatedDate'

/**
 * Mapping of a source's bank accounts. `observed` are the dates that move with each query of the source, or of the
 * source to the bank. An account without a name gets one from its kind and the end of its number.
 */
export function bankAccountMapping<Wire>(
  version: number,
  observed: readonly ObservedField[],
  fields: Mapping<Wire, BankAccount>,
): AnyMapping {
  const accountName = (wire: Wire, context: MapContext) =>
    fields.accountName(wire, context) || nameless(fields, wire, { ...context, unmapped: () => undefined })
  return { ...mapping<Wire, BankAccount>(version, { ...fields, accountName }), observed, describe: (field) => codeOf(fields, field) }
}

/** `Checking ••••4410`. */
function nameless<Wire>({ kind, accountNumber }: Mapping<Wire, BankAccount>, wire: Wire, context: MapContext): string {
  const told = kind(wire, context)
  const words = told.subType === 'Unknown' ? 'Account' : kindDisplayName(told)
  return `${words} ${accountNumber(wire, context)}`.trim()
}

function codeOf(fields: object, field: string): string {
  return String(new Map<string, unknown>(Object.entries(fields)).get(field))
}
