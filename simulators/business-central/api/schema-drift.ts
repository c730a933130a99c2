/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an id only,
 * nulls, a missing id.
 */
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
