import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Handler, MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { redriveJobs } from '../../src/store/jobs/dead-jobs.ts'
import { extendLeases } from '../../src/store/jobs/held-jobs.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { claim, workOn } from './queue.ts'

const db = databaseForTests()
const INSTANCE = randomUUID()
const AGAIN = { done: false, inMs: 0, isFailure: true, reason: 'the source is down' } as const

const addJob = async (kind: string) => await enqueueJob(db.database, { instanceId: INSTANCE, kind, key: kind, payload: {} })

/** Runs a job of this kind until it ends; returns the number of times that it ran. */
async function runToEnd(kind: string, handler: Handler): Promise<number> {
  await addJob(kind)
  let ran = 0
  const ended = Promise.withResolvers<void>()
  const counted: Handler = async (job, signal) => {
    ran += 1
    const outcome = await handler(job, signal)
    if (outcome.done) ended.resolve()
    return outcome
  }
  const worker = workOn(db.database, { [kind]: counted }, { onDeadJob: () => ended.resolve(), pace: { pollMs: 10 } })
  await ended.promise
  await worker.stop()
  return ran
}

it('a job that gets further with each attempt is not set aside, however many of them fail', async () => {
  let page = 0
  const ran = await runToEnd('long', async (_job, signal) => {
    page += 1
    signal.advance(page)
    return page === 3 * MAX_ATTEMPTS ? { done: true } : AGAIN
  })
  expect(ran).toBe(3 * MAX_ATTEMPTS)
})

it('a job that reads the same pages again and again is set aside after its last attempt', async () => {
  const ran = await runToEnd('circle', async (_job, signal) => {
    for (const page of [1, 2, 3]) signal.advance(page)
    return AGAIN
  })
  expect(ran).toBe(MAX_ATTEMPTS)
})

it('waits without a failure leave the progress as it is', async () => {
  let ran = 0
  const all = await runToEnd('paused', async (_job, signal) => {
    ran += 1
    signal.advance(1)
    return ran <= MAX_ATTEMPTS ? { ...AGAIN, isFailure: false } : AGAIN
  })
  expect(all).toBe(2 * MAX_ATTEMPTS)
})

it('a lost worker whose job had got further since its start is no reason to set the job aside', async () => {
  const [further, stuck] = ['further', 'stuck']
  for (const kind of [further, stuck]) await addJob(kind)
  await db.database.query(`update jobs set attempts = $1 where kind in ('further', 'stuck')`, [MAX_ATTEMPTS - 1])
  const worker = randomUUID()
  const held = await claim(db.database, 2, { kinds: [further, stuck], worker })
  const reported = held.map((job) => (job.kind === further ? { ...job, attempts: 1, furthest: 40 } : job))
  expect(await extendLeases(db.database, worker, reported, 60_000)).toHaveLength(2)
  await db.database.query(`update jobs set lease_until = clock_timestamp() - interval '1 second' where kind in ('further', 'stuck')`)
  const { freed, died } = await requeueExpiredJobs(db.database, MAX_ATTEMPTS)
  expect([freed, died.map(({ kind }) => kind)]).toEqual([1, [stuck]])
  expect(await claim(db.database, 1, { kinds: [further] })).toMatchObject([{ attempts: 2, furthest: 40 }])
})

it('a dead job that runs again begins without the progress of before', async () => {
  await runToEnd('risen', async (_job, signal) => {
    signal.advance(7)
    return AGAIN
  })
  expect(await redriveJobs(db.database, INSTANCE, { kind: 'risen' })).toBe(1)
  expect(await claim(db.database, 1, { kinds: ['risen'] })).toMatchObject([{ attempts: 1, furthest: 0 }])
})
