/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an id only,
 * nulls, a missing id.
 */
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
