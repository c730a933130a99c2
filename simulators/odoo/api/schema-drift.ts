/** What a careless module could do to its first accounts: new words, a wrong type, nothing but an id, empty fields, no id. */
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
