/**
 * An entry posted every month. Shares of the amount, debits positive; each side adds up to one, and the last line
 * takes the remainder.
 */
export interface Routine {
  /** SourceType of the journal; entries with MANJOURNAL are also manual journals. */
  source: string
  note: string
  lines: readonly { account: string; share: number }[]
}
