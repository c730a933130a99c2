import type { Row } from '../../kit/data/edited-list.ts'

/**
 * Schema drift in the first categories, as a careless release might cause: a new code, a wrong type, an address only,
 * nulls, a missing address.
 */
export function toDriftedRows(rows: readonly Row[]): Row[] {
  const drifts: ((row: Row) => Row)[] = [
    (row) => ({ ...row, nominal_code: 'X-42', group_description: 'Digital Assets', provenance: { kind: 'new' } }),
    (row) => ({ ...row, description: { en: row.description } }),
    (row) => ({ url: row.url }),
    (row) => ({ ...row, description: null, nominal_code: null, group_description: null }),
    ({ url: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.(row) ?? row)
}
