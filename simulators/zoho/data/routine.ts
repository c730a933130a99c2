/**
 * A journal posted every month. Shares of the amount, debits positive; each side adds up to one, and the last line
 * takes the remainder.
 */
export interface Routine {
  note: string
  /** Defaults to the organization's own. */
  currency?: string
  /** Written on the first line. */
  customer?: string
  lines: readonly { account: string; share: number }[]
}
