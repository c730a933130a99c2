/** A journal that comes back every month. Shares of the amount, debits positive; each side adds up to one, the last line takes the rest. */
export interface Routine {
  note: string
  /** The organization's own when left out. */
  currency?: string
  /** Stands on the first line. */
  customer?: string
  lines: readonly { account: string; share: number }[]
}
