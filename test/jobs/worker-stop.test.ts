import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Handler, JobWorker } from '../../src/jobs/worker.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { workOn } from './queue.ts'

const db = databaseForTests()
let worker: JobWorker | null = null
/** Ends the handlers that wait. */
let release: PromiseWithResolvers<void>
beforeEach(async () => {
  release = Promise.withResolvers()
  await db.database.query('delete from jobs')
})
afterEach(async () => {
  release.resolve()
  await worker?.stop()
  worker = null
})

const add = async (kind: string, key = kind) => await enqueueJob(db.database, { instanceId: randomUUID(), kind, key, payload: {} })

async function jobs(): Promise<unknown[]> {
  const { rows } = await db.database.query('select kind, state, attempts, error from jobs order by kind')
  return rows
}

async function workers(): Promise<number> {
  return (await db.database.query('select 1 from workers')).rows.length
}

/** A handler that waits for the release, and a promise that it has begun. */
function waiting(): { handler: Handler; begun: Promise<void> } {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const handler: Handler = async () => {
    resolve()
    await release.promise
    return { done: true }
  }
  return { handler, begun }
}

describe('a stop', () => {
  it('waits for a job that ends in time, claims nothing more, and forgets the worker', async () => {
    await add('slow')
    const { handler, begun } = waiting()
    const stopped = workOn(db.database, { slow: handler, later: handler }, { pace: { pollMs: 10 } })
    await begun
    await until('its row', async () => ((await workers()) === 1 ? true : null))
    let hasStopped = false
    const stopping = stopped.stop().then(() => {
      hasStopped = true
    })
    await add('later')
    // Time for a poll, if there still were one.
    await db.database.query('select pg_sleep(0.05)')
    expect(hasStopped).toBe(false)
    release.resolve()
    await stopping
    // A claim that was on its way may have taken it, and gives it back unrun.
    expect([await jobs(), await workers()]).toMatchObject([[{ kind: 'later', state: 'ready', attempts: 0 }], 0])
  })

  it('gives a job back that does not end in time, and this counts as no attempt', async () => {
    await add('hangs')
    const { handler, begun } = waiting()
    const stopped = workOn(db.database, { hangs: handler }, { pace: { stopMs: 20 } })
    await begun
    await stopped.stop()
    expect(await jobs()).toEqual([{ kind: 'hangs', state: 'ready', attempts: 0, error: 'the worker stopped' }])
  })

  it('is told to the handlers, which may return at their next safe point', async () => {
    await add('polite')
    const begun = Promise.withResolvers<boolean>()
    const polite: Handler = async (_job, signal) => {
      begun.resolve(signal.isStopping())
      await until('the stop', () => signal.isStopping() || null)
      // Not due: a claim that was on its way when the stop came cannot take it again.
      return { done: false, inMs: 60_000, isFailure: false, reason: 'stopping' }
    }
    const stopped = workOn(db.database, { polite })
    expect(await begun.promise).toBe(false)
    await stopped.stop()
    expect(await jobs()).toEqual([{ kind: 'polite', state: 'ready', attempts: 0, error: 'stopping' }])
  })
})

describe('a lease', () => {
  const pace = { leaseMs: 2_000, heartbeatMs: 20 }

  it('is extended by heartbeats while the job runs', async () => {
    await add('long')
    const leaseUntil = async () =>
      (await db.database.query<{ at: number | null }>('select extract(epoch from lease_until)::float8 as at from jobs')).rows[0]?.at ?? null
    const stopping: boolean[] = []
    const { promise: first, resolve } = Promise.withResolvers<void>()
    const long: Handler = async (_job, signal) => {
      resolve()
      await release.promise
      stopping.push(signal.isStopping())
      return { done: true }
    }
    worker = workOn(db.database, { long }, { pace })
    await first
    const before = (await leaseUntil()) ?? 0
    await until('a whole lease', async () => (((await leaseUntil()) ?? 0) > before + 2.1 ? true : null))
    release.resolve()
    await until('the end of the job', async () => ((await jobs()).length === 0 ? true : null))
    expect(stopping).toEqual([false])
  })

  it('that another worker has taken tells the handler to stop, and its outcome changes nothing', async () => {
    await add('lost')
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<boolean>()
    const lost: Handler = async (_job, signal) => {
      resolve()
      ended.resolve(await until('the loss', () => signal.isStopping() || null))
      return { done: true }
    }
    worker = workOn(db.database, { lost }, { pace: { ...pace, leaseMs: 60_000 } })
    await begun
    await db.database.query(`update jobs set worker = $1, lease_until = clock_timestamp() + interval '1 hour'`, [randomUUID()])
    expect(await ended.promise).toBe(true)
    await worker.stop()
    expect(await jobs()).toEqual([{ kind: 'lost', state: 'running', attempts: 1, error: null }])
  })
})

describe('an outcome', () => {
  const ran = async (handlers: Record<string, Handler>) => {
    const told: unknown[] = []
    worker = workOn(db.database, handlers, { onError: (error, job) => told.push([String(error), job?.kind]) })
    await until('all have run', async () =>
      (await db.database.query(`select 1 from jobs where state = 'running' or error is null`)).rows.length === 0 ? true : null,
    )
    return told
  }

  it('that is a failure counts as an attempt, and the job comes again after its wait', async () => {
    await add('fails')
    const told = await ran({ fails: async () => ({ done: false, inMs: 3_600_000, isFailure: true, reason: 'the source is down' }) })
    const { rows } = await db.database.query(
      `select attempts, error, round(extract(epoch from run_at - clock_timestamp()) / 60)::int as minutes from jobs`,
    )
    expect([rows, told]).toEqual([[{ attempts: 1, error: 'the source is down', minutes: 60 }], []])
  })

  it('that is thrown is told with its job, kept short and without secrets, and tried again within seconds', async () => {
    await add('throws')
    const told = await ran({ throws: () => Promise.reject(new Error(`password=hunter22 ${'x'.repeat(600)}`)) })
    const { rows } = await db.database.query<{ attempts: number; error: string; inTime: boolean }>(
      `select attempts, error, run_at between clock_timestamp() - interval '1 minute' and clock_timestamp() + interval '5 seconds' as "inTime" from jobs`,
    )
    expect(rows).toMatchObject([{ attempts: 1, inTime: true }])
    expect(rows[0]?.error).toMatch(/^Error: password=\[secret\] x+$/)
    expect(rows[0]?.error).toHaveLength(500)
    expect(told).toEqual([[expect.stringContaining('hunter22'), 'throws']])
  })
})

it('a worker runs at most as many jobs at once as it has slots', async () => {
  for (let count = 0; count < 5; count += 1) await add('slow', `key-${count}`)
  let [running, most, ended] = [0, 0, 0]
  const slow: Handler = async () => {
    running += 1
    most = Math.max(most, running)
    if (running === 2) release.resolve()
    await release.promise
    running -= 1
    ended += 1
    return { done: true }
  }
  worker = workOn(db.database, { slow }, { concurrency: 2 })
  await until('all of them', () => (ended === 5 ? true : null))
  expect(most).toBe(2)
})
