import { auditWriter } from '../../src/audit/record.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { Activity } from '../../src/jobs/activity.ts'
import { watchPause } from '../../src/jobs/pause-watch.ts'
import { createLog, pauseReporter } from '../../src/process/log.ts'
import { openWorkers } from '../../src/process/start-workers.ts'
import { lowerPriority } from '../../src/process/system/below-normal-priority.ts'
import { openMetrics } from '../../src/process/telemetry/open-metrics.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { openBank } from '../bank/bank.ts'
import { withChanges } from '../bank/changes.ts'
import { BASE_URL, createSync } from '../deployment.ts'

export interface WorkerRequest {
  databaseUrl: string
  dataDir: string
  /** Size of a customer of the bank. */
  accounts: number
  transactions: number
  /** Customers whose name ends with it have changed balances from the message `change` on, and how many of each. */
  changedEnding: string
  changedBalances: number
}

/** Connections to PostgreSQL, as of the service. */
const POOL_SIZE = 20
const RETENTION = { runs: 13, links: 13, timeline: 24, sourceFiles: 24, rawPages: 24, versions: null, receipts: null }

/**
 * A process of role `worker` with the benchmark bank as its only source: the queue, the scheduler and all other periodic
 * work of the service. Reports `started`, and `changed` once the bank has changes. It ends when the benchmark does.
 */
const request = JSON.parse(process.argv[2] ?? '') as WorkerRequest
lowerPriority()
const database = openDatabase(request.databaseUrl, { max: POOL_SIZE })
const keys = await openKeys(request.dataDir)
const log = createLog({ level: 'info' })
const activity = new Activity()
const pause = await watchPause(database, pauseReporter(log), activity)
const rateLimiter = new SharedRateLimiter(database, { onError: (error) => log.warn({ err: error }, 'rate limits') })
const { registry: metrics, work } = openMetrics('worker', { database, rateLimiter, pause, log })
let digit: number | null = null
const bank = withChanges(
  openBank(request.accounts, request.transactions),
  (customer) => (customer.endsWith(request.changedEnding) ? digit : null),
  request.changedBalances,
)
const sync = { ...createSync(database, keys, bank), log, onRunEnded: work.countRun }
const closers: (() => Promise<unknown>)[] = []
await openWorkers(sync, {
  ...{ log, closers, keys, work, metrics, pause, activity, retention: RETENTION, publicUrl: BASE_URL },
  ...{ auditMonths: null, auditSink: null, mailServer: null, exports: null },
  egress: createEgress({ allowPrivate: false }),
  writer: auditWriter({ keys, now: sync.now }),
})
process.on('message', () => {
  digit = 7
  process.send?.('changed')
})
process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', async () => {
  for (const close of closers.toReversed()) await close()
  process.exit(0)
})
process.send?.('started')
