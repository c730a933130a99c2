import type { StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'

/** Number of connections of all instances by status, for metrics. Full table scan. */
export async function countConnections(db: Db): Promise<{ status: StatusCode; count: number }[]> {
  const { rows } = await db.query<{ status: StatusCode; count: number }>(
    'select status, count(*)::int as count from connections group by status',
  )
  return rows
}
