import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { recordChange } from '../../audit/record.ts'
import { startWorker } from '../../jobs/worker.ts'
import { listInstanceIds } from '../../store/access/instances.ts'
import { inTransaction } from '../../store/db/database.ts'
import { type ReplayReport, readReplayReport } from '../../store/records/replay-reports.ts'
import { createReplay } from '../../store/records/replays.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import { handleReplayJob } from '../../sync/replay/replay.ts'

const LOOK_MS = 200
const AT_ONCE = 4

/** Scope of a replay; null covers everything. */
export interface ReplayScope {
  instanceId: string | null
  companyId: string | null
  serviceId: string | null
  connectorKey: string | null
  isDryRun: boolean
}

/**
 * One replay per instance, worked off here and by other workers; returns the reports when all are finished. Throws when
 * aborted before; the service continues with what is left.
 */
export async function runReplays(
  deps: SyncDeps,
  scope: ReplayScope,
  signal: AbortSignal,
): Promise<{ instanceId: string; report: ReplayReport }[]> {
  const { database } = deps
  const requested: { instanceId: string; id: string }[] = []
  for (const instanceId of scope.instanceId === null ? await listInstanceIds(database) : [scope.instanceId]) {
    const id = randomUUID()
    await inTransaction(database, async (db) => {
      await createReplay(db, { ...scope, instanceId, id, requestedBy: 'countinghouse replay' })
      await recordChange(db, { instanceId, action: 'replay.started', subject: `replay/${id}`, after: scope })
    })
    requested.push({ instanceId, id })
  }
  const worker = startWorker({
    database,
    concurrency: AT_ONCE,
    handlers: {
      replay: (job, progress) => handleReplayJob(deps, job, progress),
    },
    onError: (error, job) => deps.log.error({ err: error, jobId: job?.id }, 'job failed'),
  })
  try {
    const reports = []
    for (const { instanceId, id } of requested) reports.push({ instanceId, report: await waitForReplay(deps, instanceId, id, signal) })
    return reports
  } finally {
    await worker.stop()
  }
}

async function waitForReplay(deps: SyncDeps, instanceId: string, id: string, signal: AbortSignal): Promise<ReplayReport> {
  for (;;) {
    const report = await readReplayReport(deps.database, instanceId, id)
    if (report.connections.waiting === 0) return report
    if (signal.aborted) throw new Error('stopped; what is left stays in the queue for the service')
    await wait(LOOK_MS)
  }
}
