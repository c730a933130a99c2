import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { subscribe } from '../../src/webhooks/subscriptions.ts'
import { openReceiver, raiseEvent } from '../servers/receiver.ts'

/** Milliseconds of each probe that began between two messages, `begin` and `end`. */
export interface Probes {
  /** From the request for `/livez`, over a new connection, to the whole answer. */
  health: number[]
  /**
   * By which a heartbeat extended the lease of a job later than an interval after the one before, by PostgreSQL's clock. One
   * that takes longer than the interval leaves out the next.
   */
  heartbeats: number[]
  /** From the commit of an event to the first byte of its delivery. */
  deliveries: number[]
}

const HEALTH_MS = 100
const EVENT_MS = 200
/** Limit for probes without an answer at the end. */
const TIMEOUT_MS = 30_000
/** How often it is looked for what is still missing then. */
const LOOK_MS = 50

/**
 * Probes a worker from a process of its own, whose event loop the worker does not block. Arguments: database, data
 * directory, address of `/livez`, interval of heartbeats in milliseconds. It ends when the benchmark does.
 */
const [url = '', dataDir = '', healthUrl = '', heartbeatMs = ''] = process.argv.slice(2)
for (const end of ['disconnect', 'SIGTERM'] as const) process.once(end, () => process.exit(0))
const database = openDatabase(url, { max: 2 })
const arrivals = new Map<string, number>()
const instanceId = await openSubscription()
await recordHeartbeats()
let round: ReturnType<typeof begin> | null = null
process.on('message', async (message) => {
  if (message === 'begin') round = begin()
  else if (round) process.send?.(await round.end())
})
process.send?.('ready')

/** Returns the instance whose events this process receives. */
async function openSubscription(): Promise<string> {
  const id = randomUUID()
  const { port } = (await openReceiver(arrivals)).address() as AddressInfo
  const deps = { database, sealer: createSealer(await openKeys(dataDir)), callbackRules: { allowPrivate: true } }
  await createInstance(database, { id, name: 'Lender with probes' })
  await subscribe(deps, id, { event: 'NormalizedData', callbackUrl: `http://127.0.0.1:${port}/` })
  return id
}

/** PostgreSQL itself records when a lease is extended. */
async function recordHeartbeats(): Promise<void> {
  await database.query(`create table bench_heartbeats (at timestamptz not null)`)
  await database.query(`create function bench_record_heartbeat() returns trigger language plpgsql as
    $$ begin insert into bench_heartbeats values (clock_timestamp()); return null; end $$`)
  await database.query(`create trigger bench_heartbeat after update of lease_until on jobs
    for each row execute function bench_record_heartbeat()`)
}

function begin(): { end(): Promise<Probes> } {
  const begun = readClock(database)
  const health: Promise<number>[] = []
  const events: Promise<{ id: string; atMs: number }>[] = []
  const timers = [
    setInterval(() => health.push(askHealth()), HEALTH_MS),
    setInterval(() => events.push(raiseEvent(database, instanceId).then((id) => ({ id, atMs: performance.now() }))), EVENT_MS),
  ]
  return {
    end: async () => {
      for (const timer of timers) clearInterval(timer)
      const ended = await readClock(database)
      const deliveries = await Promise.all(events.map(async (event) => await awaitDelivery(await event)))
      return { health: await Promise.all(health), heartbeats: await readDelays(await begun, ended), deliveries }
    },
  }
}

async function readClock(db: Database): Promise<string> {
  const { rows } = await db.query<{ now: string }>('select clock_timestamp()::text as now')
  return rows[0]?.now ?? ''
}

function askHealth(): Promise<number> {
  const askedMs = performance.now()
  return new Promise((resolve, reject) => {
    get(healthUrl, { agent: false, timeout: TIMEOUT_MS }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${healthUrl} answers ${answer.statusCode}`))
      answer.resume().on('end', () => resolve(performance.now() - askedMs))
    })
      .on('error', reject)
      .on('timeout', () => reject(new Error(`${healthUrl} does not answer`)))
  })
}

async function awaitDelivery({ id, atMs }: { id: string; atMs: number }): Promise<number> {
  await until(() => arrivals.has(id), 'an event was not delivered')
  return Math.max(0, (arrivals.get(id) ?? 0) - atMs)
}

/** Of the heartbeats from `begun` to the first one after `ended`. */
async function readDelays(begun: string, ended: string): Promise<number[]> {
  const isLater = async () => (await database.query('select from bench_heartbeats where at > $1 limit 1', [ended])).rowCount === 1
  await until(isLater, 'there is no heartbeat')
  const { rows } = await database.query<{ gapMs: number }>(
    `select (extract(epoch from at - before) * 1000)::float8 as "gapMs"
     from (select at, lag(at) over (order by at) as before from bench_heartbeats) b where at >= $1 and before <= $2`,
    [begun, ended],
  )
  return rows.map(({ gapMs }) => Math.max(0, gapMs - Number(heartbeatMs)))
}

async function until(isTrue: () => boolean | Promise<boolean>, failure: string): Promise<void> {
  const beganMs = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - beganMs > TIMEOUT_MS) throw new Error(failure)
    await wait(LOOK_MS)
  }
}
