import type { Db } from '../db/database.ts'

/**
 * Whether attempts of a subscription are in flight that were claimed before `at` (database time); false from `forMs` after
 * `at` on.
 */
export async function hasOlderClaims(
  db: Db,
  instanceId: string,
  subscriptionId: string,
  at: Date,
  { leaseMs, forMs }: { leaseMs: number; forMs: number },
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from only deliveries where instance_id = $1 and subscription_id = $2 and lease is not null
       and statement_timestamp() < $3::timestamptz + make_interval(secs => $5::float8 / 1000)
       and leased_until between statement_timestamp() and $3::timestamptz + make_interval(secs => $4::float8 / 1000) limit 1`,
    [instanceId, subscriptionId, at, leaseMs, forMs],
  )
  return rows.length > 0
}
