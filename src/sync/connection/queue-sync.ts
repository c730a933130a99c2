import type { Connection } from '../../store/connections/connections.ts'
import type { RunReason } from '../../store/connections/sync-runs.ts'
import type { Db } from '../../store/db/database.ts'
import { enqueueJob, type NewJob } from '../../store/jobs/jobs.ts'

/** Queues a sync of a connection; `options` are those of the job. */
export async function queueSync(
  db: Db,
  { instanceId, id, connectorKey: provider }: Pick<Connection, 'instanceId' | 'id' | 'connectorKey'>,
  reason: RunReason,
  options: NewJob['payload'] = {},
): Promise<void> {
  await enqueueJob(db, { instanceId, kind: 'sync', key: `connection/${id}`, provider, payload: { connectionId: id, reason, ...options } })
}
