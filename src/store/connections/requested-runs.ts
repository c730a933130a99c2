import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import type { RunKey } from './run-pages.ts'
import type { RunOwner } from './sync-runs.ts'

/** Sync of the connection ($1) that waits or runs; SQL over `jobs j`. NOTE `state in` would use neither of the two indexes. */
const SYNC = `j.kind = 'sync' and j.key = $1 and (j.kind = 'sync' and j.state = 'ready' or j.state = 'running')`

/**
 * Id of the run that the next sync of a connection opens; null when none is promised, or the run has begun. A job that
 * a worker has claimed counts: when the worker dies, the queued job replaces it and has to open its run.
 */
export async function findPromisedRun(db: Db, owner: RunOwner): Promise<string | null> {
  const { rows } = await db.query<{ runId: string }>(
    `select j.payload->>'runId' as "runId" from jobs j where ${SYNC} and j.payload->>'runId' is not null`,
    [toKey(owner)],
  )
  for (const { runId } of rows) if (!(await hasRun(db, { ...owner, id: runId }))) return runId
  return null
}

/** Whether a sync of the connection is queued or running that is to open the run, and has not. */
export async function isRunPromised(db: Db, owner: RunOwner, runId: string): Promise<boolean> {
  const { rows } = await db.query(`select from jobs j where ${SYNC} and j.payload->>'runId' = $2`, [toKey(owner), runId])
  return rows.length > 0 && !(await hasRun(db, { ...owner, id: runId }))
}

/** NOTE a statement of its own: runs and jobs may lie on different servers. */
export async function hasRun(db: Db, { instanceId, companyId, id }: RunKey): Promise<boolean> {
  const { rows } = await db.query(`select from sync_runs where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$3')}`, [
    instanceId,
    id,
    companyId,
  ])
  return rows.length > 0
}

function toKey({ id }: RunOwner): string {
  return `connection/${id}`
}
