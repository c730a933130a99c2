/** What a careless release of the source could do to its first accounts: new words, a wrong type, nothing but an id, nulls, no id. */
export function toDriftedRows(rows: readonly object[]): object[] {
  const drifts: ((row: Record<string, unknown>) => object)[] = [
    (row) => ({ ...row, category: 'Digital_x0020_Assets', accountType: 'Virtual', subCategory: 'Tokens', provenance: { kind: 'new' } }),
    (row) => ({ ...row, displayName: { en: row.displayName, fr: row.displayName } }),
    (row) => ({ id: row.id }),
    (row) => ({ ...row, subCategory: null, number: null, category: null, accountType: null, blocked: null, lastModifiedDateTime: null }),
    ({ id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
