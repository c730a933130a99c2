/** An entry that comes back every month. Shares of the amount, debits positive; each side adds up to one, the last line takes the rest. */
export interface Routine {
  /** SourceType of the journal; those of MANJOURNAL are manual journals too. */
  source: string
  note: string
  lines: readonly { account: string; share: number }[]
}
