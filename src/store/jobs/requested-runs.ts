import type { Db } from '../db/database.ts'

/** Whether no run has this id yet; SQL over `jobs j`. */
const NOT_BEGUN = `not exists (select from sync_runs r where r.instance_id = j.instance_id and r.id = (j.payload->>'runId')::uuid)`

/** Sync of the connection ($1) that waits or runs; SQL over `jobs j`. NOTE `state in` would use neither of the two indexes. */
const SYNC = `j.kind = 'sync' and j.key = $1 and (j.kind = 'sync' and j.state = 'ready' or j.state = 'running')`

/**
 * Id of the run that the next sync of a connection opens; null when none is promised, or the run has begun. A job that
 * a worker has claimed counts: when the worker dies, the queued job replaces it and has to open its run.
 */
export async function findPromisedRun(db: Db, key: string): Promise<string | null> {
  const { rows } = await db.query<{ runId: string }>(
    `select j.payload->>'runId' as "runId" from jobs j
     where ${SYNC} and j.payload->>'runId' is not null and ${NOT_BEGUN}`,
    [key],
  )
  return rows[0]?.runId ?? null
}

/** Whether a sync of the connection is queued or running that is to open the run, and has not. */
export async function isRunPromised(db: Db, key: string, runId: string): Promise<boolean> {
  const { rows } = await db.query(`select from jobs j where ${SYNC} and j.payload->>'runId' = $2 and ${NOT_BEGUN}`, [key, runId])
  return rows.length > 0
}

export async function hasRun(db: Db, instanceId: string, id: string): Promise<boolean> {
  const { rows } = await db.query('select from sync_runs where instance_id = $1 and id = $2', [instanceId, id])
  return rows.length > 0
}
