import type { AccountClass, AccountType } from '../../src/model/records/accounting.ts'

/** One account of a chart, as the connector reads it, and the expected result as far as the chart defines it. */
export interface ChartAccount {
  /** Number and name, for messages. */
  label: string
  wire: unknown
  expected?: { class?: AccountClass | readonly AccountClass[]; type?: AccountType; subType?: string }
}

/** A chart of accounts that a provider gives to new companies, or that it publishes. */
export interface Chart {
  name: string
  /** Null if it is not available on this machine. */
  read(): ChartAccount[] | null
  /** What the chart requires; it is skipped if that is missing, and with `CI=true` its absence is a failure. */
  needs?: { what: string; isFailureInCi: boolean }
  /** Minimum numbers of accounts with a class, a type and a sub type, and the maximum of unknown enum values. */
  floors: { accounts: number; class: number; type: number; subType: number; unknownWords: number }
}

/** The charts of one accounting source. */
export interface MappingSubject {
  charts: readonly Chart[]
}
