/** Options of a simulator's generated books. */
export interface LedgerOptions {
  seed: number
  /** Accounts of the load test's business. */
  giantAccounts: number
  now(): Date
}

/** Ledger options from a simulator's options; defaults to seed 1 and 20,000 accounts. */
export function toLedgerOptions(options: { seed?: number; giantAccounts?: number }, now: () => Date): LedgerOptions {
  return { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now }
}
