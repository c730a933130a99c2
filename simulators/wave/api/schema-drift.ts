/** What a careless release of the source could do to its first accounts: new words, a wrong type, nothing but an id, nulls, no id. */
export function toDriftedRows(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const drifts: ((row: Record<string, unknown>) => Record<string, unknown>)[] = [
    (row) => ({ ...row, type: { name: 'Crypto', value: 'CRYPTO' }, subtype: { name: 'Wallet', value: 'WALLET' } }),
    (row) => ({ ...row, name: { en: row.name, fr: row.name } }),
    (row) => ({ id: row.id }),
    (row) => ({ ...row, displayId: null, description: null, currency: null, type: null, subtype: null, isArchived: null, sequence: null }),
    ({ id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.(row) ?? row)
}
