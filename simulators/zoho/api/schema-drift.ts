import type { Row } from '../../kit/data/edited-list.ts'

/**
 * Schema drift in the first accounts, as a careless release might cause: new enum values, a wrong type, an id only,
 * nulls, a missing id.
 */
export function toDriftedRows(rows: readonly Row[]): Row[] {
  const drifts: ((row: Row) => Row)[] = [
    (row) => ({ ...row, account_type: 'metaverse_asset', provenance: { kind: 'new' } }),
    (row) => ({ ...row, account_name: { en: row.account_name, fr: row.account_name } }),
    (row) => ({ account_id: row.account_id }),
    (row) => ({ ...row, account_code: null, account_type: null, description: null, is_active: null, last_modified_time: null }),
    ({ account_id: _, ...row }) => row,
  ]
  return rows.map((row, index) => drifts[index]?.({ ...row }) ?? row)
}
