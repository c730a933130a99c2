import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance } from '../../src/store/access/instances.ts'
import type { Database } from '../../src/store/db/database.ts'
import { openBank } from '../bank/bank.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import { atLeast, type Figure, untargeted } from '../figures.ts'
import type { Effort } from '../options.ts'
import { endProcess, nextMessage, processorMs } from '../processes.ts'
import { printProgress } from '../progress.ts'
import { addMember } from '../scale/member.ts'
import { type Cost, postgresMicros } from '../scale/processor-time.ts'
import { measureScheduling } from '../scale/schedules.ts'
import type { WorkerRequest } from '../servers/worker.ts'
import { inParallel } from './in-parallel.ts'

const WORKERS = 2
/** Customers whose numbers end with it have a change: a tenth of them, in two balances. */
const CHANGED = { changedEnding: '0', changedBalances: 2 }
const A_DAY = 1_000_000
const DAY_SECONDS = 86_400
/** Limit for the work of a queue, and for each connection in it: on a busy machine a refresh takes a tenth of a second. */
const LIMIT_MS = 60_000
const LIMIT_EACH_MS = 500
/** Rare enough that the queries cost little beside the refreshes. */
const ASK_AGAIN_MS = 200

/**
 * Refreshes by two worker processes of the service: the connections of one instance are all due at once, a tenth of them has a
 * change, and the source answers within the process. From the moment when they are due until the last job is done.
 */
export async function measureWorkers({ refreshedConnections: count, scale }: Effort): Promise<Figure[]> {
  const { accounts, transactions } = scale
  const deployment = await openDeployment(openBank(accounts, transactions))
  const workers: ChildProcess[] = []
  try {
    const { databaseUrl, dataDir, database } = deployment
    const request: WorkerRequest = { databaseUrl, dataDir, accounts, transactions, ...CHANGED }
    for (let number = 0; number < WORKERS; number++) workers.push(await startWorkerProcess(request))
    await connectAll(deployment, count)
    printProgress(`refreshes: first syncs of ${count} connections by ${WORKERS} workers`)
    await untilIdle(database, workers, count)
    for (const worker of workers) await exchange(worker, 'change', 'changed')
    printProgress(`refreshes: ${count} are due`)
    const refreshed = await refreshAll(database, workers, count)
    await Promise.all(workers.map(endProcess))
    printProgress('refreshes: the part of the scheduler')
    const scheduling = await measureScheduling(databaseUrl, count)
    return toFigures(`${count.toLocaleString('en-US')} connections of ${accounts + transactions} records`, refreshed, scheduling)
  } finally {
    await Promise.all(workers.map(endProcess))
    await deployment.close()
  }
}

interface Refreshed {
  seconds: number
  perSecond: number
  /** Of one refresh. */
  cost: Cost
}

/** Makes all connections due, and waits until they are refreshed. Throws unless each was, with the changes that there were. */
async function refreshAll(database: Database, workers: readonly ChildProcess[], count: number): Promise<Refreshed> {
  const read = async () => [await workerMicros(workers), await postgresMicros(database)] as const
  const { rows } = await database.query<{ now: string }>('select clock_timestamp()::text as now')
  const before = await read()
  const startedMs = performance.now()
  await database.query("update connections set update_scheduled_at = statement_timestamp() - random() * interval '1 minute'")
  await untilIdle(database, workers, count)
  const seconds = (performance.now() - startedMs) / 1_000
  const after = await read()
  const runs = await database.query<{ published: number; unchanged: number; all: number }>(
    `select count(*) filter (where state = 'published')::int as published, count(*) filter (where state = 'unchanged')::int as unchanged,
       count(*)::int as all from sync_runs where started_at >= $1::timestamptz`,
    [rows[0]?.now],
  )
  const expected = { published: Math.ceil(count / 10), unchanged: count - Math.ceil(count / 10), all: count }
  if (JSON.stringify(runs.rows[0]) !== JSON.stringify(expected))
    throw new Error(`the refreshes are ${JSON.stringify(runs.rows[0])} instead of ${JSON.stringify(expected)}`)
  const cost = { worker: (after[0] - before[0]) / count, postgres: (after[1] - before[1]) / count }
  return { seconds, perSecond: count / seconds, cost }
}

function toFigures(of: string, { seconds, perSecond, cost }: Refreshed, scheduling: Cost): Figure[] {
  const ofBoth = ({ worker, postgres }: Cost, toText: (micros: number) => string) => `${toText(worker)}; ${toText(postgres)}`
  const share = { worker: scheduling.worker / cost.worker, postgres: scheduling.postgres / cost.postgres }
  return [
    untargeted(`${of}, due at once, refreshed by ${WORKERS} workers: s`, seconds.toFixed(1)),
    untargeted('  refreshes a second', perSecond.toFixed(1)),
    untargeted(
      '  processor time of one, s of the worker; of PostgreSQL',
      ofBoth(cost, (micros) => (micros / 1e6).toFixed(4)),
    ),
    untargeted(
      '  of it for queueing, claiming and completing, µs of the worker; of PostgreSQL',
      ofBoth(scheduling, (micros) => micros.toFixed(0)),
    ),
    untargeted(
      '    as a share, %',
      ofBoth(share, (part) => (part * 100).toFixed(1)),
    ),
    atLeast(`  refreshes of a day at this rate, multiples of ${A_DAY.toLocaleString('en-US')}`, (perSecond * DAY_SECONDS) / A_DAY, 1),
    untargeted(
      `    by the processor time of ${WORKERS} workers alone, if each has a core`,
      ((WORKERS * DAY_SECONDS * 1e6) / cost.worker / A_DAY).toFixed(2),
    ),
  ]
}

/** Links the connections of one instance; the workers take their first syncs. */
async function connectAll(deployment: Deployment, count: number): Promise<void> {
  const instanceId = randomUUID()
  await createInstance(deployment.database, { id: instanceId, name: 'Large lender' })
  await inParallel(count, async (number) => {
    if (number % 1_000 === 0) printProgress(`refreshes: linking ${number} of ${count}`)
    await addMember(deployment, instanceId, `customer-${number}`)
  })
}

/** Waits until no connection and no job is due. Throws if a worker ends, a job is set aside, or it takes too long. */
async function untilIdle(database: Database, workers: readonly ChildProcess[], count: number): Promise<void> {
  const deadline = performance.now() + LIMIT_MS + count * LIMIT_EACH_MS
  while (await isBusy(database)) {
    if (workers.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)) throw new Error('a worker has ended')
    if (performance.now() > deadline) throw new Error(`the workers have not done the work of ${count} connections in time`)
    await wait(ASK_AGAIN_MS)
  }
}

async function isBusy(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ due: boolean; dead: string | null }>(
    `select exists (select 1 from connections where update_scheduled_at <= statement_timestamp())
       or exists (select 1 from jobs where state = 'running' or state = 'ready' and (run_at <= statement_timestamp() or attempts > 0)) as due,
       (select min(kind || ': ' || error) from jobs where state = 'dead') as dead`,
  )
  if (rows[0]?.dead) throw new Error(`a job was set aside: ${rows[0].dead}`)
  return rows[0]?.due ?? false
}

async function startWorkerProcess(request: WorkerRequest): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, '..', 'servers', 'worker.ts'), [JSON.stringify(request)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await exchange(child, null, 'started')
  return child
}

/** Sends a message and waits for the answer. */
async function exchange(child: ChildProcess, message: string | null, answer: string): Promise<void> {
  const received = nextMessage(child)
  if (message !== null) child.send(message)
  const text = await received
  if (text !== answer) throw new Error(`a worker answered ${String(text)}`)
}

async function workerMicros(workers: readonly ChildProcess[]): Promise<number> {
  const used = await Promise.all(workers.map(({ pid }) => processorMs(pid ?? 0)))
  return used.reduce((sum, ms) => sum + ms * 1_000, 0)
}
