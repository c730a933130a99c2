import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { backoffMs, type Handler, MAX_ATTEMPTS, startWorker } from '../../src/jobs/worker.ts'
import { extendLeases } from '../../src/store/jobs/held-jobs.ts'
import { claimJobs, enqueueJob } from '../../src/store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const db = databaseForTests()
const job = (kind: string, key: string, payload = {}) => ({ instanceId: randomUUID(), kind, key, payload })

/** Runs a worker until `until` is true; it is evaluated after each job. */
async function runUntil(handlers: Record<string, Handler>, until: () => boolean, concurrency = 4): Promise<void> {
  let settle = () => {}
  const reached = new Promise<void>((resolve) => {
    settle = resolve
  })
  const watched = Object.fromEntries(
    Object.entries(handlers).map(([kind, handler]) => [
      kind,
      (async (claimed, signal) => {
        try {
          return await handler(claimed, signal)
        } finally {
          if (until()) settle()
        }
      }) as Handler,
    ]),
  )
  const worker = startWorker({ database: db.database, handlers: watched, concurrency, onError: () => undefined })
  await reached
  await worker.stop()
}

describe('the queue', () => {
  it('runs each job once and at most one per key at a time', async () => {
    const ran: string[] = []
    const running = new Set<string>()
    let overlaps = 0
    for (let i = 0; i < 60; i += 1) await enqueueJob(db.database, job(`tidy-${i % 3}`, `key-${i % 20}`))
    const handler: Handler = async (claimed) => {
      if (running.has(claimed.key)) overlaps += 1
      running.add(claimed.key)
      await new Promise((resolve) => setImmediate(resolve))
      running.delete(claimed.key)
      ran.push(`${claimed.kind}/${claimed.key}`)
      return { done: true }
    }
    await runUntil({ 'tidy-0': handler, 'tidy-1': handler, 'tidy-2': handler }, () => ran.length === 60, 8)
    expect(new Set(ran).size).toBe(60)
    expect(overlaps).toBe(0)
  })

  it('keeps one waiting job per kind and key and brings it forward', async () => {
    await enqueueJob(db.database, { ...job('once', 'same', { a: 1 }), delayMs: 3_600_000 })
    await enqueueJob(db.database, job('once', 'same', { b: 2 }))
    const payloads: unknown[] = []
    await runUntil(
      {
        once: async (claimed) => {
          payloads.push(claimed.payload)
          return { done: true }
        },
      },
      () => payloads.length === 1,
    )
    expect(payloads).toEqual([{ a: 1, b: 2 }])
  })

  it('does not postpone a waiting job that is enqueued again for later', async () => {
    await enqueueJob(db.database, job('soon', 'soon'))
    await enqueueJob(db.database, { ...job('soon', 'soon'), delayMs: 3_600_000 })
    const { rows } = await db.database.query(`select run_at <= clock_timestamp() as "isDue" from jobs where kind = 'soon'`)
    expect(rows).toEqual([{ isDue: true }])
  })

  it('extends no lease of a job that another worker has taken since', async () => {
    await enqueueJob(db.database, job('lost', 'lost'))
    const claim = { kinds: ['lost'], limit: 1, leaseMs: 60_000, after: null, cap: 1 }
    const [slow, quick] = [randomUUID(), randomUUID()]
    const held = await claimJobs(db.database, { ...claim, worker: slow })
    expect(await extendLeases(db.database, slow, held, 60_000)).toEqual(held.map(({ id }) => id))
    await db.database.query(`update jobs set lease_until = clock_timestamp() - interval '1 second' where kind = 'lost'`)
    await requeueExpiredJobs(db.database, MAX_ATTEMPTS)
    await claimJobs(db.database, { ...claim, worker: quick })
    const leaseUntil = async () => (await db.database.query(`select lease_until from jobs where kind = 'lost'`)).rows
    const before = await leaseUntil()
    expect(await extendLeases(db.database, slow, held, 3_600_000)).toEqual([])
    expect(await leaseUntil()).toEqual(before)
  })

  it('makes a job dead after its last failed attempt', async () => {
    await enqueueJob(db.database, job('poison', 'poison'))
    await db.database.query(`update jobs set attempts = $1 where kind = 'poison'`, [MAX_ATTEMPTS - 1])
    let tries = 0
    await runUntil(
      {
        poison: async () => {
          tries += 1
          throw new Error('broken')
        },
      },
      () => tries === 1,
    )
    const { rows } = await db.database.query(`select state, error from jobs where kind = 'poison'`)
    expect(rows).toEqual([{ state: 'dead', error: 'Error: broken' }])
  })

  it('restores all attempts of a waiting job when its wait does not count as a failure', async () => {
    await enqueueJob(db.database, job('patient', 'patient'))
    let tries = 0
    await runUntil(
      {
        patient: async () => {
          tries += 1
          return { done: false, inMs: 3_600_000, isFailure: false, reason: 'rate limit' }
        },
      },
      () => tries === 1,
    )
    const { rows } = await db.database.query(`select state, attempts from jobs where kind = 'patient'`)
    expect(rows).toEqual([{ state: 'ready', attempts: 0 }])
  })

  it('frees the jobs of a killed process once their lease has expired', async () => {
    await enqueueJob(db.database, job('victim', 'victim'))
    const child = spawn(process.execPath, [new URL('./claim-and-hang.ts', import.meta.url).pathname, db.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await firstLine(child)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const claim = { worker: randomUUID(), kinds: ['victim'], limit: 1, leaseMs: 60_000, after: null, cap: 1 }
    expect(await claimJobs(db.database, claim)).toEqual([])
    expect(await requeueExpiredJobs(db.database, MAX_ATTEMPTS), 'the lease still holds').toEqual({ freed: 0, died: [] })
    await db.database.query(`update jobs set lease_until = clock_timestamp() - interval '1 second' where kind = 'victim'`)
    expect(await requeueExpiredJobs(db.database, MAX_ATTEMPTS)).toEqual({ freed: 1, died: [] })
    const [claimed] = await claimJobs(db.database, claim)
    expect(claimed).toMatchObject({ kind: 'victim', attempts: 2 })
  })
})

it('waits longer after each failure, up to fifteen minutes', () => {
  expect(backoffMs(1, 1)).toBe(4_500)
  expect(backoffMs(3, 1)).toBe(16_500)
  expect(backoffMs(30, 1)).toBe(900_500)
  expect(backoffMs(30, 0)).toBe(500)
})

async function firstLine(child: ChildProcess): Promise<void> {
  if (!child.stdout) throw new Error('no output')
  for await (const _line of createInterface({ input: child.stdout })) return
}
