type Fields = Record<string, unknown>

/**
 * Schema drift, as a source may introduce without notice: unknown enum values, shapes and fields. One record is
 * unreadable.
 */
export function drift(accounts: readonly Fields[]): unknown[] {
  const [first, second] = accounts
  return [
    ...accounts,
    ...(first
      ? [{ ...first, Id: 'drift-unknown-words', Category: 'Dreams', Type: 'Sleeping', AccountType: 'Collective', Transactions: null }]
      : []),
    ...(second
      ? [
          {
            ...second,
            Id: 'drift-nulls',
            AccountNumber: null,
            LastFourDigits: null,
            Title: null,
            Type: null,
            Balance: null,
            Transactions: [],
          },
        ]
      : []),
    {
      Id: 'drift-wrong-types',
      Title: 42,
      Balance: 'none',
      Category: ['Operations'],
      Transactions: [{ Id: 'drift-row', Date: 7, Debit: {}, Credit: [] }],
    },
  ]
}
