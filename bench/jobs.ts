import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type Handler, type JobWorker, startWorker } from '../src/jobs/worker.ts'
import type { Database } from '../src/store/db/database.ts'
import { claimJobs, enqueueJob } from '../src/store/jobs/jobs.ts'
import { openBank } from './bank/bank.ts'
import { openDeployment } from './deployment.ts'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { median, quantile, spread } from './statistics.ts'

const INSTANCES = 20
const KEYS = 500
const SLOTS = 600
const PICKUPS = 200
const CLAIMS = 40

/**
 * The queue with jobs that do nothing, so that only the queue is measured: one worker process, PostgreSQL with default
 * settings.
 */
export async function benchJobs({ rounds, jobs, waitingJobs }: Effort): Promise<Figure[]> {
  const deployment = await openDeployment(openBank(1))
  const { database } = deployment
  try {
    printProgress(`jobs: ${rounds} rounds of ${jobs} jobs that do nothing`)
    const plain: Run[] = []
    const keyed: Run[] = []
    for (let round = 0; round < rounds; round += 1) {
      await fill(database, jobs, jobs)
      plain.push(await workOff(database, jobs))
      await fill(database, jobs, KEYS)
      keyed.push(await workOff(database, jobs))
    }
    printProgress(`jobs: ${PICKUPS} pick-ups`)
    const pickUps = await measurePickUps(database)
    printProgress(`jobs: claims with ${waitingJobs} waiting jobs`)
    await fill(database, 1_000, 1_000)
    const few = await measureClaims(database)
    await fill(database, waitingJobs, waitingJobs)
    const many = await measureClaims(database)
    const rates = plain.map(({ perSecond }) => perSecond)
    const keyedRates = keyed.map(({ perSecond }) => perSecond)
    return [
      atLeast('no-op jobs a second, a key each', median(rates), 20_000, 0),
      untargeted('  between', spread(rates, 0)),
      untargeted('  processor time of Node for each, µs', median(plain.map(({ cpuMicros }) => cpuMicros)).toFixed(0)),
      untargeted(
        `no-op jobs a second, ${KEYS} keys, never two of one at a time`,
        `${median(keyedRates).toFixed(0)} (${spread(keyedRates, 0)})`,
      ),
      atMost('  most running of one key', Math.max(...keyed.map(({ mostOfOneKey }) => mostOfOneKey)), 1, 0),
      atMost('commit to start of an idle worker, p50, ms', quantile(pickUps, 0.5), 10, 1),
      untargeted('  p99, ms', quantile(pickUps, 0.99).toFixed(1)),
      untargeted(`claim of 50 with ${(1_000).toLocaleString('en-US')} waiting, ms`, median(few).toFixed(1)),
      untargeted(`claim of 50 with ${waitingJobs.toLocaleString('en-US')} waiting, ms`, median(many).toFixed(1)),
    ]
  } finally {
    await deployment.close()
  }
}

interface Run {
  perSecond: number
  cpuMicros: number
  mostOfOneKey: number
}

/** Adds `count` due jobs with `keys` keys for 20 instances; jobs with the same key differ in kind. */
async function fill(database: Database, count: number, keys: number): Promise<void> {
  await database.query('truncate jobs')
  for (let done = 0; done < count; done += 50_000) {
    await database.query(
      `insert into jobs (instance_id, kind, key, provider)
       select md5('instance/' || n % $1)::uuid, 'kind-' || n / $2, 'key/' || n % $2, 'provider-' || n % 7
       from generate_series($3::int, $4::int - 1) n`,
      [INSTANCES, keys, done, Math.min(done + 50_000, count)],
    )
  }
}

async function workOff(database: Database, count: number): Promise<Run> {
  const running = new Map<string, number>()
  const all = Promise.withResolvers<void>()
  let started = 0
  let mostOfOneKey = 0
  const handler: Handler = async ({ key }) => {
    const now = (running.get(key) ?? 0) + 1
    running.set(key, now)
    mostOfOneKey = Math.max(mostOfOneKey, now)
    started += 1
    if (started === count) all.resolve()
    await null
    running.set(key, now - 1)
    return { done: true }
  }
  const kinds = await listKinds(database)
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  const worker = work(database, Object.fromEntries(kinds.map((kind) => [kind, handler])))
  await all.promise
  await worker.stop()
  const tookMs = performance.now() - startedMs
  const used = process.cpuUsage(cpu)
  return { perSecond: (count / tookMs) * 1_000, cpuMicros: (used.user + used.system) / count, mostOfOneKey }
}

function work(database: Database, handlers: Record<string, Handler>): JobWorker {
  return startWorker({
    database,
    handlers,
    concurrency: SLOTS,
    onError: (error) => {
      throw error
    },
  })
}

async function listKinds(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ kind: string }>('select distinct kind from jobs')
  return rows.map(({ kind }) => kind)
}

/** Milliseconds from the commit of the enqueuing transaction to the start of the handler, one job at a time. */
async function measurePickUps(database: Database): Promise<number[]> {
  await database.query('truncate jobs')
  const starts = new EventTarget()
  const worker = work(database, {
    picked: async ({ key }) => {
      starts.dispatchEvent(new Event(key))
      return { done: true }
    },
  })
  const pickUps: number[] = []
  for (let number = 0; number < PICKUPS; number += 1) {
    const key = `pick-up/${number}`
    const started = once(starts, key).then(() => performance.now())
    await enqueueJob(database, { instanceId: randomUUID(), kind: 'picked', key, payload: {} })
    const committedMs = performance.now()
    pickUps.push(Math.max(0, (await started) - committedMs))
  }
  await worker.stop()
  return pickUps
}

async function measureClaims(database: Database): Promise<number[]> {
  const took: number[] = []
  const kinds = await listKinds(database)
  for (let number = 0; number < CLAIMS; number += 1) {
    const startedMs = performance.now()
    const claimed = await claimJobs(database, { worker: randomUUID(), kinds, limit: 50, leaseMs: 60_000, after: null, cap: 1_000_000 })
    took.push(performance.now() - startedMs)
    if (claimed.length !== 50 && claimed.length > 0) throw new Error(`a claim of 50 returned ${claimed.length}`)
    await database.query(`delete from jobs where state = 'running'`)
  }
  return took
}
