/**
 * Schema drift in the first accounts, as a careless customization might cause: new enum values, a wrong type, a name
 * only, nulls, a missing name.
 */
export function toDriftedRows(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const drifts: ((row: Record<string, unknown>) => Record<string, unknown>)[] = [
    (row) => ({ ...row, is_group: 0, root_type: 'Intangible', account_type: 'Token Vault', provenance: { kind: 'new' } }),
    (row) => ({ ...row, account_name: { en: row.account_name, fr: row.account_name } }),
    ({ name }) => ({ name }),
    ({ name, account_name }) => ({ name, account_name, root_type: null, account_type: null, is_group: null, disabled: null }),
    ({ name: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
