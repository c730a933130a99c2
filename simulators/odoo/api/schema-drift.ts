/**
 * Schema drift in the first accounts, as a careless module might cause: new enum values, a wrong type, an id only,
 * empty fields, a missing id.
 */
export function toDriftedRows(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const drifts: ((row: Record<string, unknown>) => Record<string, unknown>)[] = [
    (row) => ({ ...row, account_type: 'intangible_token', internal_group: 'intangible', provenance: { kind: 'new' } }),
    (row) => ({ ...row, name: { en_US: row.name, fr_CA: row.name } }),
    (row) => ({ id: row.id }),
    (row) => ({ ...row, code: false, description: null, note: null, currency_id: false, account_type: false, internal_group: false }),
    ({ id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
