import type { AccountClass, AccountType } from '../../model/records/accounting.ts'

/**
 * Type table: how a source's values map to ours; exported by every connector folder as `typeTable`, and the source of
 * the documentation. Rows are values of the connector's own tables; their meaning is computed by its mapping, so that
 * the documentation cannot differ from the code.
 */
export interface TypeTable {
  rows: readonly WordRow[]
  /** Notes on rules that no row shows: where a class of the source is overridden, how an unknown value is mapped. */
  rules: readonly string[]
}

export interface WordRow {
  /** Heading of a group of rows. */
  group: string
  /** The source's properties with their values; `*` matches any letters. */
  words: Readonly<Record<string, string>>
  /** Meaning of the values: a record with nothing else, for the mapping; or the meaning itself. */
  means: { wire: object } | { class: AccountClass; type: AccountType; subType?: string }
  /** The values are about the status. */
  isStatus?: boolean
}

/** Rule text for connectors that also evaluate account names (account-names.ts). */
export const NAMES_RULE =
  'Where no word of these tells a sub type, the name of the account does, in English and French, and within its class a narrower type: rent, insurance, wages payable, prepaid. A name with words of two meanings says nothing.'

/** Rows whose values are top-level properties of a record under their own names. */
export function plainRows(group: string, words: readonly Readonly<Record<string, string>>[], more: object = {}): WordRow[] {
  return words.map((each) => ({ group, words: each, means: { wire: { ...more, ...withoutStars(each) } } }))
}

/** Rows for a status by a boolean of the source. */
export function flagRows(property: string, toWire: (value: boolean) => object): WordRow[] {
  return [true, false].map((value) => ({
    group: 'Status',
    words: { [property]: String(value) },
    means: { wire: toWire(value) },
    isStatus: true,
  }))
}

function withoutStars(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([name, word]) => [name, word.replace('*', 'Any')]))
}

/** Our class and type for a value of a source. */
export interface TypeRule {
  class: AccountClass
  type: AccountType
  subType?: string
}

/** Type of an account of which only the class is known. */
export const TYPE_OF_CLASS: Readonly<Record<AccountClass, AccountType>> = {
  ASSET: 'OTHER_ASSET',
  LIABILITY: 'OTHER_LIABILITY',
  EQUITY: 'EQUITY',
  INCOME: 'INCOME',
  EXPENSE: 'EXPENSE',
  NON_POSTING: 'OTHER',
  UNKNOWN: 'OTHER',
}
