import { Registry } from 'prom-client'
import { beforeAll, expect, it } from 'vitest'
import { addCrowd } from '../../bench/scale/crowd.ts'
import { type AuditWriter, ownScope, withinActor } from '../../src/audit/actor.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { Activity } from '../../src/jobs/activity.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { registerWorkMetrics } from '../../src/metrics/work.ts'
import { createLog } from '../../src/process/log.ts'
import { listPeriodicTasks, type WorkerParts } from '../../src/process/start-workers.ts'
import { openMetrics } from '../../src/process/telemetry/open-metrics.ts'
import type { Database } from '../../src/store/db/database.ts'
import { listPublicationChanges } from '../../src/store/records/publication-changes.ts'
import { insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { type RowsRead, rowsRead } from './rows-read.ts'
import { vacuumAll } from './vacuum.ts'

const COMPANIES = 4_000
/** Far fewer than a table has that grows with companies. */
const FEW_ROWS = 1_500
const RETENTION = { runs: 13, links: 13, timeline: 24, sourceFiles: 24, rawPages: 24, versions: null, receipts: null }

/** Counted whole on purpose, every ten minutes. */
const COUNTED_WHOLE: Readonly<Record<string, readonly string[]>> = {
  'watch quotas': ['companies', 'connections', 'stored_bytes'],
  // Fewer than are counted of each status.
  'metrics on a scrape': ['connections'],
}
/** Walked along an index, step by step. */
const WALKED: Readonly<Record<string, readonly string[]>> = {
  'metrics on a scrape': ['raw_pages', 'idempotency_keys', 'owner_addresses', 'source_limits'],
  'tidy mails': ['owner_addresses', 'connections', 'hand_offs', 'links'],
  'tidy sources': ['source_limits'],
}
/** What retention looks at and keeps: raw pages that records came from, and helpers of open hand-offs. */
const KEPT = [
  `update raw_pages set fetched_at = fetched_at - interval '3 years', reviewed_at = statement_timestamp()
    where id in (select md5('page/' || n)::uuid from generate_series(1, ${FEW_ROWS * 2}) n)`,
  // As densely stored as if they had been inserted so.
  'vacuum full raw_pages',
  `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at, parent_id)
    select instance_id, md5('helper/' || id)::uuid, sha256(('helper/' || id)::bytea), company_id, service_id, issued_by, statement_timestamp() + interval '1 day', id
    from links where issued_by = 'crowd@example.com' order by id limit ${FEW_ROWS * 2}`,
  `insert into hand_offs (instance_id, link_id, helper) select instance_id, id, 'sealed' from links where parent_id is not null`,
]
const NEVER_PAUSED = { current: () => null, find: async () => null }

const harness = openForTests(() => openSyncHarness([bank]))
const bank = new ScriptedSource('bank', 'Banking')
beforeAll(async () => {
  const { deps, instanceId, companyId } = harness
  bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
  await harness.sync(await harness.connect(bank), { reason: 'first' })
  const subscriptionId = crypto.randomUUID()
  await insertSubscription(deps.database, instanceId, subscriptionId, { event: 'NormalizedData', callbackUrl: 'https://receiver.example/' })
  const scope = { instanceId, companyId, subscriptionId, serviceId: harness.serviceId(bank), connectorKey: 'bank' }
  await addCrowd(deps.database, scope, 1, COMPANIES)
  for (const text of KEPT) await deps.database.query(text)
  await vacuumAll(deps.database)
}, 180_000)

const silent = createLog({ level: 'silent' })

type Work = (database: Database) => () => Promise<unknown>

/** Everything that a process repeats by itself, by name. */
async function listWork(): Promise<Record<string, Work>> {
  const writer: AuditWriter = { key: () => new Uint8Array(32), now: () => new Date() }
  const egress = createEgress({ allowPrivate: false })
  const parts: WorkerParts = {
    ...{
      egress,
      log: silent,
      closers: [],
      keys: await testKeys(),
      writer,
      retention: RETENTION,
      auditMonths: 12,
      auditSink: null,
      mailServer: null,
      exports: null,
      publicUrl: 'http://127.0.0.1:8080',
    },
    ...{ work: registerWorkMetrics(new Registry()), pause: NEVER_PAUSED, activity: new Activity(), metrics: new Registry() },
  }
  const tasksOf = (database: Database) =>
    listPeriodicTasks({ ...harness.deps, database }, { ...parts, metrics: new Registry() }, () => false)
  const tasks = tasksOf(harness.deps.database).map(({ name }, index): [string, Work] => [
    name,
    (database) => {
      const task = tasksOf(database)[index]
      return () => withinActor(ownScope(writer, 'job'), async () => await task?.run())
    },
  ])
  return {
    ...Object.fromEntries(tasks),
    'metrics on a scrape': (database) => {
      const rateLimiter = new SharedRateLimiter(database, { onError: () => undefined })
      return async () => {
        // A registry for each scrape: otherwise the second one would show what the first has counted.
        await openMetrics('all', { database, rateLimiter, pause: NEVER_PAUSED, log: silent }).registry.metrics()
        await rateLimiter.close()
      }
    },
    dispatcher: (database) => {
      const dispatcher = new Dispatcher({ database, egress, sealer: harness.deps.sealer, log: silent })
      return () => dispatcher.runOnce()
    },
    'job worker: claims and heartbeat': (database) => () =>
      startWorker({
        database,
        handlers: { none: async () => ({ done: true }) },
        concurrency: 8,
        onError: (error) => {
          throw error
        },
      }).stop(),
    'announced changes': (database) => () => listPublicationChanges(database),
  }
}

it(`no periodic work reads a table of ${COMPANIES} companies by a scan, or more than ${FEW_ROWS} of its rows`, async () => {
  const heavy: Record<string, RowsRead[]> = {}
  for (const [name, prepare] of Object.entries(await listWork())) {
    const isKnown = ({ table, scanned }: RowsRead) =>
      COUNTED_WHOLE[name]?.includes(table) || (scanned <= FEW_ROWS && WALKED[name]?.includes(table))
    const read = (await rowsRead(harness.url, prepare)).filter(({ scanned, looked }) => scanned > FEW_ROWS || looked > FEW_ROWS)
    if (read.some((one) => !isKnown(one))) heavy[name] = read
  }
  expect(heavy).toEqual({})
}, 120_000)
