import type { Db } from '../db/database.ts'

/**
 * Kinds of jobs of a suspended instance that run nevertheless: withdrawals of owners do not wait for an operator.
 * The same kinds are in functions/claim-due-jobs.sql.
 */
const KINDS_THAT_GO_ON = ['revoke', 'erase', 'eraseDelivered', 'removeDelivered', 'abortUpload', 'emptyReplica']

/** SQL condition over `instanceColumn`: the instance is suspended. */
export function isSuspendedSql(instanceColumn: string): string {
  return `exists (select from instance_suspensions x where x.instance_id = ${instanceColumn})`
}

/** SQL condition over a job `j`: it must not run, because its instance is suspended. */
export const HELD_JOB = `(j.kind <> all ('{${KINDS_THAT_GO_ON.join(',')}}') and ${isSuspendedSql('j.instance_id')})`

/** Suspends an instance; false when it is suspended already. */
export async function insertSuspension(db: Db, instanceId: string, reason: string): Promise<boolean> {
  const { rowCount } = await db.query('insert into instance_suspensions (instance_id, reason) values ($1, $2) on conflict do nothing', [
    instanceId,
    reason,
  ])
  return rowCount === 1
}

/** Ends a suspension; false when there is none. */
export async function deleteSuspension(db: Db, instanceId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from instance_suspensions where instance_id = $1', [instanceId])
  return rowCount === 1
}

export async function isSuspended(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await db.query<{ isSuspended: boolean }>(`select ${isSuspendedSql('$1::uuid')} as "isSuspended"`, [instanceId])
  return rows[0]?.isSuspended ?? false
}
