/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an id only,
 * nulls, a missing id.
 */
export function toDriftedRows(rows: readonly object[]): object[] {
  const drifts: ((row: Record<string, unknown>) => object)[] = [
    (row) => ({
      ...row,
      Class: 'INTANGIBLE',
      Type: 'DIGITALASSET',
      SystemAccount: 'TOKENS',
      Status: 'FROZEN',
      Provenance: { kind: 'new' },
    }),
    (row) => ({ ...row, Name: { en: row.Name, fr: row.Name } }),
    (row) => ({ AccountID: row.AccountID }),
    (row) => ({
      ...row,
      Code: null,
      Description: null,
      Class: null,
      Status: null,
      CurrencyCode: null,
      SystemAccount: null,
      UpdatedDateUTC: null,
    }),
    ({ AccountID: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
