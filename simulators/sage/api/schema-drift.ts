/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an id only,
 * nulls, a missing id.
 */
export function toDriftedRows(rows: readonly object[]): object[] {
  const drifts: ((row: Record<string, unknown>) => object)[] = [
    (row) => ({
      ...row,
      ledger_account_group: { id: 'INTANGIBLE' },
      ledger_account_type: { id: 'DIGITAL_ASSETS' },
      control_name: 'TOKENS',
      provenance: { kind: 'new' },
    }),
    (row) => ({ ...row, name: { en: row.name, fr: row.name } }),
    (row) => ({ id: row.id }),
    (row) => ({
      ...row,
      nominal_code: null,
      ledger_account_group: null,
      ledger_account_type: null,
      included_in_chart: null,
      updated_at: null,
    }),
    ({ id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
