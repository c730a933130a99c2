import type { PoolClient } from 'pg'
import { type JobWorker, startWorker } from '../../src/jobs/worker.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { enqueueDue, openDueScan } from '../../src/sync/runs/schedule.ts'
import { openBank } from '../bank/bank.ts'
import { openDeployment } from '../deployment.ts'
import { atMost, type Figure, untargeted } from '../figures.ts'
import { printProgress } from '../progress.ts'
import { CROWD_TABLES } from './crowd.ts'
import { type Cost, openMeter } from './processor-time.ts'

/** Jobs that a worker runs at once, as the service does. */
const SLOTS = 8
const PARTS = 10
const MOST_GROWTH = 1.5
const A_DAY = 1_000_000
/** Jobs worked off beside an open transaction: each claim passes the dead rows of all before it. */
const HELD = 5_000

/**
 * What the scheduler itself costs: due refreshes are queued, claimed and completed by the real code, with a handler that
 * does nothing, all due at once. By processor time, which the load of the machine changes less than time on a clock.
 */
export async function benchSchedules({ dueConnections }: { dueConnections: number }): Promise<Figure[]> {
  const deployment = await openDeployment(openBank(1))
  try {
    const shown = dueConnections.toLocaleString('en-US')
    printProgress(`schedules: ${shown} connections`)
    await fill(deployment.database, dueConnections)
    const queued = await measureQueueing(deployment.databaseUrl, dueConnections)
    const worked = await measureWork(deployment.databaseUrl, dueConnections)
    printProgress(`schedules: queueing ${show(mean(queued))}, work ${show(mean(worked))}`)
    printProgress('schedules: again, while a transaction stays open')
    await measureQueueing(deployment.databaseUrl, dueConnections)
    const held = await whileOpen(deployment.database, () => measureWork(deployment.databaseUrl, Math.min(HELD, dueConnections)))
    const [queueing, work, beside] = [mean(queued), mean(worked), mean(held)]
    const aDay = (cost: Cost) => `${((cost.postgres * A_DAY) / 1e6).toFixed(0)}; ${((cost.worker * A_DAY) / 1e6).toFixed(0)}`
    return [
      untargeted(`queueing one of ${shown} due refreshes, µs of PostgreSQL; of the worker`, show(queueing)),
      atMost('  the last tenth as a multiple of the first, of PostgreSQL', growth(queued), MOST_GROWTH),
      untargeted('claiming and completing one, µs of PostgreSQL; of the worker', show(work)),
      atMost('  the last tenth as a multiple of the first, of PostgreSQL', growth(worked), MOST_GROWTH),
      untargeted(`  the first ${HELD.toLocaleString('en-US')} while a transaction has been open since before`, show(beside)),
      atMost('  the last tenth as a multiple of the first then', growth(held), MOST_GROWTH),
      untargeted(
        `${A_DAY.toLocaleString('en-US')} refreshes a day, s of PostgreSQL; of workers`,
        aDay({ postgres: queueing.postgres + work.postgres, worker: queueing.worker + work.worker }),
      ),
    ]
  } finally {
    await deployment.close()
  }
}

/**
 * The scheduler's part of refreshing all `count` connections of a database, for each of them: queueing it, claiming the
 * job and completing it. No other process may work there.
 */
export async function measureScheduling(databaseUrl: string, count: number): Promise<Cost> {
  const queueing = mean(await measureQueueing(databaseUrl, count))
  const work = mean(await measureWork(databaseUrl, count))
  return { postgres: queueing.postgres + work.postgres, worker: queueing.worker + work.worker }
}

/** Companies and connections alone, of one instance, all due. */
async function fill(database: Database, connections: number): Promise<void> {
  const [instanceId, serviceId] = [crypto.randomUUID(), crypto.randomUUID()]
  await createInstance(database, { id: instanceId, name: 'Large lender' })
  const companies = Math.ceil((connections * 2) / 3)
  for (const { table, text } of CROWD_TABLES.filter(({ table }) => table === 'companies' || table === 'connections')) {
    for (let first = 1; first <= companies; first += 5_000) {
      const values = [instanceId, serviceId, first, Math.min(companies, first + 4_999)]
      await database.query(text, table === 'connections' ? [...values, 'bench-bank'] : values)
    }
    await database.query(`analyze ${table}`)
  }
}

/** Cost of each tenth. */
async function measureQueueing(url: string, count: number): Promise<Cost[]> {
  const database = openDatabase(url, { max: 1 })
  try {
    await database.query('set statement_timeout = 0')
    await database.query("update connections set update_scheduled_at = statement_timestamp() - random() * interval '1 minute'")
    await database.query('vacuum (analyze) connections')
    const scan = openDueScan()
    const meter = await openMeter(database)
    const costs: Cost[] = []
    for (;;) {
      const step = await enqueueDue(database, 0, scan)
      // NOTE the last step may be of a few rows, whose cost is that of the statement.
      if (step < PARTS) break
      costs.push(await meter.read(step))
    }
    const { rows } = await database.query<{ count: number }>(`select count(*)::int as count from jobs where state = 'ready'`)
    if ((rows[0]?.count ?? 0) < count) throw new Error(`${rows[0]?.count} of ${count} refreshes were queued`)
    return costs
  } finally {
    await database.end()
  }
}

async function measureWork(url: string, count: number): Promise<Cost[]> {
  const database = openDatabase(url, { max: 4 })
  const costs: Cost[] = []
  const all = Promise.withResolvers<void>()
  const meter = await openMeter(database)
  const part = Math.floor(count / PARTS)
  let done = 0
  let reading = Promise.resolve()
  const worker: JobWorker = startWorker({
    database,
    concurrency: SLOTS,
    handlers: {
      sync: async () => {
        done += 1
        if (done % part === 0) reading = reading.then(async () => void costs.push(await meter.read(part)))
        if (done === part * PARTS) all.resolve()
        return { done: true }
      },
    },
    onError: (error) => all.reject(error),
  })
  try {
    await all.promise
    await reading
    return costs
  } finally {
    await worker.stop()
    await database.query('truncate jobs')
    await database.end()
  }
}

/** Beside a transaction that keeps PostgreSQL from removing dead rows, such as a backup. */
async function whileOpen<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const client: PoolClient = await database.connect()
  try {
    await client.query('begin isolation level repeatable read')
    await client.query('set local idle_in_transaction_session_timeout = 0')
    await client.query('select count(*) from instances')
    return await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

function mean(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost) => costs.reduce((sum, cost) => sum + cost[name], 0) / costs.length
  return { postgres: of('postgres'), worker: of('worker') }
}

function growth(costs: readonly Cost[]): number {
  const tenth = Math.max(1, Math.floor(costs.length / PARTS))
  return mean(costs.slice(-tenth)).postgres / mean(costs.slice(0, tenth)).postgres
}

function show({ postgres, worker }: Cost): string {
  return `${postgres.toFixed(0)}; ${worker.toFixed(0)}`
}
