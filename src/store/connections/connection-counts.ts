import { STATUS_CODES, type StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'
import { MOST_COUNTED } from '../db/list-selection.ts'

/**
 * Number of connections of all instances by status, for metrics: exact up to `MOST_COUNTED`, above it PostgreSQL's
 * estimate.
 */
export async function countConnections(db: Db): Promise<{ status: StatusCode; count: number }[]> {
  const { rows } = await db.query<{ status: StatusCode; count: number }>(
    `select s.status, c.count from unnest($1::smallint[]) s (status)
       cross join lateral (select count(*)::int as count from (select from connections where status = s.status limit ${MOST_COUNTED + 1}) counted) c
     where c.count > 0`,
    [STATUS_CODES],
  )
  for (const row of rows) {
    if (row.count > MOST_COUNTED)
      row.count = Math.max(MOST_COUNTED, await estimateRows(db, 'connections', `status = ${Number(row.status)}`))
  }
  return rows
}

/** Number of rows of a table that PostgreSQL expects, from its last analysis; reads none of them. `condition` is SQL without parameters. */
async function estimateRows(db: Db, table: string, condition: string): Promise<number> {
  const { rows } = await db.query<{ known: number }>(
    'select greatest(reltuples, 0)::float8 as known from pg_class where oid = $1::regclass',
    [table],
  )
  const expected = async (where: string): Promise<number> => {
    const plan = await db.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
      `explain (format json) select from ${table} where ${where}`,
    )
    return plan.rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
  }
  // The share, not the number: PostgreSQL takes the condition of row-level security for one that leaves half of the rows.
  return Math.round(((await expected(condition)) / Math.max(1, await expected('true'))) * (rows[0]?.known ?? 0))
}
