import type { AccountClass, AccountType } from '../../model/records/accounting.ts'

/**
 * How a source's words become ours, in the shape that every connector folder exports as `typeTable` and the documents are made of. Rows are
 * words of the connector's own tables; what they mean is asked of its mapping, so that a document cannot say anything else than the code does.
 */
export interface TypeTable {
  rows: readonly WordRow[]
  /** Sentences on what no row shows: where a class of the source is overruled, what a new word becomes. */
  rules: readonly string[]
}

export interface WordRow {
  /** Heading of the rows that belong together. */
  group: string
  /** The source's properties with the words in them; `*` stands for any letters. */
  words: Readonly<Record<string, string>>
  /** What the words mean: a record that says no more than they do, for the mapping; or the meaning itself. */
  means: { wire: object } | { class: AccountClass; type: AccountType; subType?: string }
  /** The words are about the status. */
  isStatus?: boolean
}

/** For the tables of connectors that look at the names of accounts: account-names.ts. */
export const NAMES_RULE =
  'Where no word of these tells a sub type, the name of the account does, in English and French, and within its class a narrower type: rent, insurance, wages payable, prepaid. A name with words of two meanings says nothing.'

/** Rows whose words stand at the top of a record under their own names. */
export function plainRows(group: string, words: readonly Readonly<Record<string, string>>[], more: object = {}): WordRow[] {
  return words.map((each) => ({ group, words: each, means: { wire: { ...more, ...withoutStars(each) } } }))
}

/** A status by a flag of the source, true and false. */
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
