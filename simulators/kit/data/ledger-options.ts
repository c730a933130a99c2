/** What the made-up books of a simulator depend on. */
export interface LedgerOptions {
  seed: number
  /** Accounts of the load test's business. */
  giantAccounts: number
  now(): Date
}

/** The options of a simulator as its ledger takes them: seed 1 and 20,000 accounts where nothing else is said. */
export function toLedgerOptions(options: { seed?: number; giantAccounts?: number }, now: () => Date): LedgerOptions {
  return { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now }
}
