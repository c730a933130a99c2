/** How accounts are known again when a reconnect has given them other ids. */
export interface Reidentification {
  /** Reads a record that fits the `wire` of accounts. */
  account(wire: never): Fingerprint
  /** Their transactions get other ids too: they are then known by account, day, amount and description. */
  renumbersTransactions: boolean
}

/** What an account is known by, whatever its id. Never a full account number. */
export interface Fingerprint {
  /** The source's own id that outlives a reconnect; two different ones are two accounts. Null where it gives none. */
  persistentId: string | null
  /**
   * What describes the account, from the most to the least exact; as many for each account, none where nothing tells it from others. Believed
   * only where one account alone fits on either side. Made of what the mapping shows and of nothing else: a record that is shown as before is
   * not stored again, and would be compared by words that its source has changed since.
   */
  descriptions: readonly string[]
}
