import type { Row } from '../../kit/data/edited-list.ts'

/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, a UID only,
 * nulls, a missing UID.
 */
export function toDriftedRows(rows: readonly Row[]): Row[] {
  const drifts: ((row: Row) => Row)[] = [
    (row) => ({ ...row, IsHeader: false, Classification: 'Intangible', Type: 'Token', Provenance: { kind: 'new' } }),
    (row) => ({ ...row, Name: { en: row.Name } }),
    (row) => ({ UID: row.UID }),
    (row) => ({ ...row, DisplayID: null, Description: null, Classification: null, Type: null, IsActive: null, ForeignCurrency: null }),
    ({ UID: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.(row) ?? row)
}
