/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an id only,
 * nulls, a missing id.
 */
export function toDriftedRows(rows: readonly object[]): object[] {
  const drifts: ((row: Record<string, unknown>) => object)[] = [
    (row) => ({ ...row, accttype: 'DigitalAsset', sspecacct: 'Tokens', provenance: { kind: 'new' } }),
    (row) => ({ ...row, accountsearchdisplaynamecopy: { en: row.fullname, fr: row.fullname } }),
    (row) => ({ id: row.id }),
    (row) => ({ ...row, sspecacct: null, acctnumber: null, accttype: null, isinactive: null, currency: null, description: null }),
    ({ id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
