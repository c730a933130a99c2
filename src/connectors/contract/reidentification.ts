/** Reidentification: how accounts are recognized when a reconnect has changed their ids. */
export interface Reidentification {
  /** Reads a record that matches the `wire` schema of accounts. */
  account(wire: unknown): Fingerprint
  /** Transactions get other ids too: they are then matched by account, day, amount and description. */
  renumbersTransactions: boolean
}

/** Fingerprint of an account, independent of its id. Never a full account number. */
export interface Fingerprint {
  /** The source's own id that survives a reconnect; two different ones are two accounts. Null where there is none. */
  persistentId: string | null
  /**
   * Descriptions of the account, from most to least specific; the same number for each account, none where nothing
   * distinguishes it. Used only for a unique match on either side. Derived only from mapped fields: an unchanged record
   * is not stored again, and would otherwise be compared by raw values that its source has changed since.
   */
  descriptions: readonly string[]
}
