import { randomUUID } from 'node:crypto'
import type { Outcome } from '../../src/jobs/worker.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { type ReplayReport, readReplayReport } from '../../src/store/records/replay-reports.ts'
import { createReplay } from '../../src/store/records/replays.ts'
import { handleReplayJob } from '../../src/sync/replay/replay.ts'
import { runJob } from '../harness/app/jobs.ts'
import type { SyncHarness } from '../sync/harness.ts'

type ReplayRequest = Partial<Parameters<typeof createReplay>[1]>

/** Requests a replay of everything in the deployment, or of a part; returns its id. */
export async function requestReplay(harness: SyncHarness, wanted: ReplayRequest = {}): Promise<string> {
  const id = randomUUID()
  const all = { companyId: null, serviceId: null, connectorKey: null, isDryRun: false, requestedBy: 'ops@example.com' }
  await inTransaction(harness.deps.database, (db) => createReplay(db, { ...all, instanceId: harness.instanceId, ...wanted, id }))
  return id
}

/** Runs one job of a connection's replay, as the queue would. */
export async function workOnce(harness: SyncHarness, connectionId: string, attempt = 1): Promise<Outcome> {
  const job = {
    instanceId: harness.instanceId,
    kind: 'replay',
    key: `replay/${connectionId}`,
    payload: { connectionId },
    attempts: attempt,
  }
  return await runJob((claimed, signal) => handleReplayJob(harness.deps, claimed, signal), job)
}

/** A replay of one connection from the request to the report. */
export async function replay(harness: SyncHarness, connectionId: string, wanted: ReplayRequest = {}): Promise<ReplayReport> {
  const id = await requestReplay(harness, wanted)
  for (let tries = 0; tries < 3; tries += 1) if ((await workOnce(harness, connectionId)).done) break
  return await readReplayReport(harness.deps.database, harness.instanceId, id)
}

/** Everything that a publication writes. */
export async function written(harness: SyncHarness): Promise<unknown> {
  const { rows } = await harness.deps.database.query(
    `select (select md5(string_agg(v::text, '' order by entity, id, valid_from)) from record_versions v) as versions,
       (select count(*) from events) as events, (select string_agg(version::text, ',' order by key) from publications) as publications,
       (select count(*) from staged_records) as staged, (select count(*) from quarantined_records) as quarantined,
       (select count(*) from raw_pages) as pages`,
  )
  return rows[0]
}
