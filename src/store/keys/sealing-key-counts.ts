import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import type { Keys } from './keys.ts'
import { type RowCursor, SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

/** Sealed values of one table under one sealing key. */
export interface SealedCount {
  table: string
  key: string
  count: number
}

/** Values counted by one call, and by one of its statements. */
const CALL_ROWS = 10_000
const STEP_ROWS = 1_000

/**
 * Count of sealed values for metrics: values per table and sealing key as of the last complete scan. Each call
 * continues the scan by a bounded number of rows, so that a large deployment is not read whole; a smaller one is
 * counted by each call. Null until the first scan is complete.
 */
export function sealedCounter(db: Db): () => Promise<SealedCount[] | null> {
  let last: SealedCount[] | null = null
  let scan = openScan()
  return async () => {
    for (let left = CALL_ROWS; left > 0; ) {
      const column = SEALED_COLUMNS[scan.column]
      if (!column) {
        last = [...scan.counts.values()]
        scan = openScan()
        break
      }
      const { counted, end } = await countStep(db, column, scan.after, Math.min(left, STEP_ROWS))
      for (const { key, count } of counted) {
        const known = scan.counts.get(`${column.table} ${key}`)
        scan.counts.set(`${column.table} ${key}`, { table: column.table, key, count: count + (known?.count ?? 0) })
        left -= count
      }
      scan.after = end ?? { instanceId: FIRST_ID, key: FIRST_ID }
      if (end === null) scan.column += 1
    }
    return last
  }
}

function openScan(): { column: number; after: RowCursor; counts: Map<string, SealedCount> } {
  return { column: 0, after: { instanceId: FIRST_ID, key: FIRST_ID }, counts: new Map() }
}

/** Counts the next values of a column; `end` is null at its end. */
async function countStep(
  db: Db,
  { table, key, value }: SealedColumn,
  after: RowCursor,
  limit: number,
): Promise<{ counted: { key: string; count: number }[]; end: RowCursor | null }> {
  const { rows } = await db.query<{ key: string; count: number; end: RowCursor; seen: number }>(
    `with step as materialized (select instance_id, ${key} as row_key, encode(substr(${value}, 2, 8), 'hex') as sealing_key from ${table}
         where ${value} is not null and (instance_id, ${key}) > ($1, $2) order by instance_id, ${key} limit $3)
     select sealing_key as key, count(*)::int as count, (select count(*) from step)::int as seen,
       (select json_build_object('instanceId', instance_id, 'key', row_key) from step order by instance_id desc, row_key desc limit 1) as end
     from step group by sealing_key`,
    [after.instanceId, after.key, limit],
  )
  const [first] = rows
  return { counted: rows.map(({ key, count }) => ({ key, count })), end: first && first.seen === limit ? first.end : null }
}

/** Number of values per sealing key and table. A key without any may be deleted. Reads all tables. */
export async function countSealed(db: Db): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, value } of SEALED_COLUMNS) {
    const { rows } = await db.query<{ key: string; count: number }>(
      `select encode(substr(${value}, 2, 8), 'hex') as key, count(*)::int as count from ${table} where ${value} is not null group by 1`,
    )
    counts.push(...rows.map((row) => ({ table, ...row })))
  }
  return counts
}

/** Rows of each table that are looked at: all would mean reading all raw pages. */
const SAMPLE_ROWS = 2_000

/** Sealing keys that values name and that are not among ours; looks at some rows of each table. */
export async function findMissingSealingKeys(db: Db, { sealing }: Pick<Keys, 'sealing'>): Promise<string[]> {
  const missing = new Set<string>()
  for (const { table, value } of SEALED_COLUMNS) {
    const { rows } = await db.query<{ key: string }>(
      `select distinct encode(substr(value, 2, 8), 'hex') as key
       from (select ${value} as value from ${table} where ${value} is not null limit ${SAMPLE_ROWS}) sample`,
    )
    for (const { key } of rows) if (sealing.find(key) === undefined) missing.add(key)
  }
  return [...missing]
}
