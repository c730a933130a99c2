import { fork } from 'node:child_process'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { createEgress } from '../../src/egress/egress.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { createLog } from '../../src/process/log.ts'
import { openHealth } from '../../src/process/start-health.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { openBank } from '../bank/bank.ts'
import { addTenant, createSync, type Deployment, openDeployment, syncTenant } from '../deployment.ts'
import { endProcess, findFreePort, nextMessage } from '../processes.ts'
import { openLedger } from './ledger.ts'
import type { Probes } from './prober.ts'

/** Result printed by this process. */
export interface WorkerResult {
  /** Without a sync. */
  baseline: Probes
  /** During a first and a second sync. */
  syncing: Probes
  /** How late a timer of the process was at most during them. */
  longestDelayMs: number
}

/** As in the product. */
const [POOL_SIZE, JOBS_AT_ONCE] = [16, 8]
/** Interval of heartbeats: that of the product, 15 s, would give two in a sync. */
const HEARTBEAT_MS = 100
/** Time in which code is loaded and compiled before anything counts. */
const WARM_UP_MS = 2_000
/** A timer of this interval is late by the delay. */
const DELAY_RESOLUTION_MS = 5

/**
 * A worker that syncs: `node sync-worker.ts TRANSACTIONS ACCOUNTS SECONDS` runs the health listener, the job worker and
 * the dispatcher, as a process of role `worker` or `all` does, and probes them for SECONDS without a sync and during a
 * first and a second one. 0 accounts: a ledger, not a bank login. The last line printed is the result.
 */
const [transactions = 0, accounts = 0, seconds = 0] = process.argv.slice(2).map(Number)
const bank = accounts > 0 ? openBank(accounts, transactions) : openLedger(transactions)
const deployment = await openDeployment(bank)
const database = openDatabase(deployment.databaseUrl, { max: POOL_SIZE })
const closers: (() => Promise<unknown>)[] = [() => database.end()]
try {
  const tenant = await addTenant(deployment, 'ledger')
  const syncing = { ...deployment, sync: createSync(database, deployment.keys, bank) }
  const healthUrl = await openWorker(deployment, database, tenant.instanceId)
  const probe = await openProber(deployment, healthUrl)
  await probe(() => wait(WARM_UP_MS))
  const baseline = await probe(() => wait(seconds * 1_000))
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delays.enable()
  const probes = await probe(async () => {
    await syncTenant(syncing, tenant)
    await syncTenant(syncing, tenant)
  })
  delays.disable()
  const result: WorkerResult = { baseline, syncing: probes, longestDelayMs: delays.max / 1e6 - DELAY_RESOLUTION_MS }
  process.stdout.write(`${JSON.stringify(result)}\n`)
} finally {
  for (const close of closers.toReversed()) await close()
  await deployment.close()
}

/** Opens what a worker runs, with a job whose lease is extended until the end; returns the address of its liveness. */
async function openWorker({ sync }: Deployment, database: Database, instanceId: string): Promise<string> {
  const log = createLog({ level: 'warn', stream: process.stderr })
  const [life, pause] = [{ phase: 'running' as const }, { current: () => null, find: async () => null }]
  const listen = { host: '127.0.0.1', port: await findFreePort() }
  const health = { database, metrics: new Registry(), tls: null, pause, life, log, closers }
  await openHealth({ metricsListen: listen, metricsToken: null }, health)
  const egress = createEgress({ allowPrivate: true })
  const dispatcher = new Dispatcher({ database, egress, sealer: sync.sealer, log })
  dispatcher.start()
  closers.push(
    () => egress.close(),
    () => dispatcher.stop(),
  )
  const [claimed, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = async () => {
    claimed.resolve()
    await released.promise
    return { done: true as const }
  }
  const pace = { heartbeatMs: HEARTBEAT_MS }
  const onError = (error: unknown) => log.error({ err: error }, 'job failed')
  const worker = startWorker({ database, handlers: { held }, concurrency: JOBS_AT_ONCE, onError, pace })
  closers.push(() => {
    released.resolve()
    return worker.stop()
  })
  await enqueueJob(database, { instanceId, kind: 'held', key: 'held', payload: {} })
  await claimed.promise
  return `http://${listen.host}:${listen.port}/livez`
}

/** Returns a function that probes this process during some work. */
async function openProber(
  { databaseUrl, dataDir }: Deployment,
  healthUrl: string,
): Promise<(work: () => Promise<void>) => Promise<Probes>> {
  const prober = fork(join(import.meta.dirname, 'prober.ts'), [databaseUrl, dataDir, healthUrl, String(HEARTBEAT_MS)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  closers.push(() => endProcess(prober))
  await nextMessage(prober)
  return async (work) => {
    prober.send('begin')
    await work()
    const answer = nextMessage(prober)
    prober.send('end')
    return (await answer) as Probes
  }
}
