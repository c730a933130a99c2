/** What a careless release of the source could do to its first accounts: new words, a wrong type, nothing but an id, nulls, no id. */
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
