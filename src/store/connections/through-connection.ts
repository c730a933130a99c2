import type { Db } from '../db/database.ts'

/**
 * Condition for the record versions of a connection, through its record sets: the parameters of `throughConnection`. An
 * index on the connection alone would slow down every write, and without statistics, as after a first sync, the planner
 * would use it to look up single records. With the company, so that a distributed table is asked in one shard.
 */
export const THROUGH_CONNECTION = `instance_id = $1 and connection_id = $2 and company_id = $3 and service_id = $4
  and record_set = any (record_set_keys($3, $4))`

/**
 * Instance ($1), connection ($2), company ($3) and service ($4): the last two do not change once there are records, and are
 * null for a connection that is gone.
 */
export async function throughConnection(db: Db, instanceId: string, connectionId: string): Promise<(string | null)[]> {
  const { rows } = await db.query<{ companyId: string; serviceId: string }>(
    'select company_id as "companyId", service_id as "serviceId" from connections where instance_id = $1 and id = $2',
    [instanceId, connectionId],
  )
  return [instanceId, connectionId, rows[0]?.companyId ?? null, rows[0]?.serviceId ?? null]
}
