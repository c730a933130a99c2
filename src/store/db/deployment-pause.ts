import type { Db } from './database.ts'

/** Deployment pause: no process takes jobs, calls sources or sends anything. */
export interface DeploymentPause {
  /** `restored`: this is a copy, and whether the original still runs is unknown; `requested`: an operator paused it. */
  reason: 'restored' | 'requested'
  pausedAt: Date
  /** Id of the backup that a restored copy was made from. */
  backupId: string | null
}

export async function findPause(db: Db): Promise<DeploymentPause | null> {
  const { rows } = await db.query<DeploymentPause>(`select reason, paused_at as "pausedAt", backup_id as "backupId" from deployment_pause`)
  return rows[0] ?? null
}

/** Pauses the deployment; a paused one stays unchanged, so that a restored copy stays a restored copy. */
export async function pauseDeployment(db: Db, { reason, backupId }: Pick<DeploymentPause, 'reason' | 'backupId'>): Promise<void> {
  await db.query('insert into deployment_pause (reason, backup_id) values ($1, $2) on conflict do nothing', [reason, backupId])
  await announce(db)
}

/** Ends the pause and returns it; null when there was none. */
export async function resumeDeployment(db: Db): Promise<DeploymentPause | null> {
  const { rows } = await db.query<DeploymentPause>(
    `delete from deployment_pause returning reason, paused_at as "pausedAt", backup_id as "backupId"`,
  )
  await announce(db)
  return rows[0] ?? null
}

/** Announced to processes that listen for jobs, as soon as the transaction commits. */
async function announce(db: Db): Promise<void> {
  await db.query(`select pg_notify('jobs', '')`)
}
