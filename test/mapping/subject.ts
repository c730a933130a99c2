import type { AccountClass, AccountType } from '../../src/model/records/accounting.ts'

/** One account of a chart, as the connector reads it from its source, and what it has to become as far as the chart itself tells. */
export interface ChartAccount {
  /** Number and name, for a message. */
  label: string
  wire: unknown
  expected?: { class?: AccountClass | readonly AccountClass[]; type?: AccountType; subType?: string }
}

/** A chart of accounts that a provider gives to new companies, or that it publishes. */
export interface Chart {
  name: string
  /** Null where the machine does not have it. */
  read(): ChartAccount[] | null
  /** What has to be installed or present for the chart; such a chart is skipped without it, and with `CI=true` its absence is a failure. */
  needs?: { what: string; isFailureInCi: boolean }
  /** How many accounts get a class, a type and a sub type at least, and how many words are unknown at most. */
  floors: { accounts: number; class: number; type: number; subType: number; unknownWords: number }
}

/** The charts of one accounting source. */
export interface MappingSubject {
  charts: readonly Chart[]
}
