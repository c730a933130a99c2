/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an Id only,
 * nulls, a missing Id.
 */
export function toDriftedRows(rows: readonly object[]): object[] {
  const drifts: ((row: Record<string, unknown>) => object)[] = [
    (row) => ({
      ...row,
      Classification: 'Intangible',
      AccountType: 'Digital Asset',
      AccountSubType: 'Tokens',
      Provenance: { kind: 'new' },
    }),
    (row) => ({ ...row, Name: { en: row.Name, fr: row.Name } }),
    (row) => ({ Id: row.Id }),
    (row) => ({ ...row, Description: null, AccountSubType: null, AcctNum: null, CurrencyRef: null, MetaData: null, Active: null }),
    ({ Id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
