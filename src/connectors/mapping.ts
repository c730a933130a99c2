import type { AccountingAccount, AccountingTransaction } from '../model/accounting.ts'
import type { BankAccount, BankTransaction } from '../model/banking.ts'

export type NormalizedRecord = AccountingAccount | AccountingTransaction | BankAccount | BankTransaction

/** What a mapping function may ask besides its record. */
export interface MapContext {
  /** When the page was received; the same on replay. */
  fetchedAt: Date
  /** Reports a word that the mapping does not know; it is counted, the record survives. */
  unmapped(field: string, word: string): void
}

/** One function per normalized field. Over a recording proxy it explains which raw paths each field was read from. */
export type Mapping<Wire, Model> = { readonly [Field in keyof Model]-?: (wire: Wire, context: MapContext) => Model[Field] }

/** A mapping whose wire type was checked by `mapping` and is opaque to the engine. */
export interface AnyMapping {
  /** Raised whenever a change of the mapping may change a result. */
  version: number
  fields: Readonly<Record<string, (wire: never, context: MapContext) => unknown>>
  /** Where the functions are made of rules in a file: the rule of a field, shown in explanations in place of code. */
  describe?(field: string, wire: never): string
}

export function mapping<Wire, Model extends NormalizedRecord>(version: number, fields: Mapping<Wire, Model>): AnyMapping {
  return { version, fields }
}
