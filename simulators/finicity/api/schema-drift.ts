type Fields = Record<string, unknown>

/**
 * Schema drift, as a source may introduce without notice: unknown enum values, shapes and fields. One record is
 * unreadable.
 */
export function driftAccounts(accounts: readonly Fields[]): unknown[] {
  const [first, second] = accounts
  return [
    ...accounts,
    ...(first
      ? [{ ...first, id: '700001', type: 'hologram', marketSegment: 'collective', financialinstitutionAccountStatus: 'ASLEEP' }]
      : []),
    ...(second ? [{ ...second, id: '700002', accountNumberDisplay: null, number: null, detail: null, marketSegment: null }] : []),
    { id: '700003', institutionId: [], name: 42, balance: { value: 1 }, type: ['checking'], detail: 'none' },
  ]
}

export function driftTransactions(transactions: readonly Fields[]): unknown[] {
  const [first] = transactions
  return [
    ...transactions,
    ...(first ? [{ ...first, id: 700_011, status: 'telepathic', categorization: null, memo: null }] : []),
    { id: 700_012, accountId: {}, amount: { value: '1' }, status: 5, transactionDate: 'yesterday' },
  ]
}
