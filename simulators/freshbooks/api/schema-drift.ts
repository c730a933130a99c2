/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, a uuid only,
 * nulls, a missing uuid.
 */
export function toDriftedRows(rows: readonly object[]): object[] {
  const drifts: ((row: Record<string, unknown>) => object)[] = [
    (row) => ({
      ...row,
      type: 'crypto',
      sub_type: 'Digital Asset',
      state: 'frozen',
      system_account_name: 'Wallet',
      provenance: { kind: 'new' },
    }),
    (row) => ({ ...row, name: { en: row.name, fr: row.name } }),
    (row) => ({ uuid: row.uuid }),
    (row) => ({ ...row, number: null, description: null, sub_type: null, system_account_name: null, state: null, updated_at: null }),
    ({ uuid: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
