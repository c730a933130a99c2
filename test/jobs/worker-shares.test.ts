import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Handler, type JobWorker, MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { reportWorker } from '../../src/store/jobs/workers.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { workOn } from './queue.ts'

const db = databaseForTests()
const INSTANCE = randomUUID()
let worker: JobWorker | null = null
/** Ends the handlers that wait. */
let release: PromiseWithResolvers<void>
let began: string[]
beforeEach(async () => {
  release = Promise.withResolvers()
  began = []
  for (const table of ['jobs', 'workers']) await db.database.query(`delete from ${table}`)
})
afterEach(async () => {
  release.resolve()
  await worker?.stop()
  worker = null
})

const add = (key: string, instanceId = INSTANCE, kind = 'work') => enqueueJob(db.database, { instanceId, kind, key, payload: {} })
const work: Handler = async ({ key }) => {
  began.push(key)
  await release.promise
  return { done: true }
}

it.each([
  [1, 0, 1],
  [4, 0, 3],
  [8, 0, 6],
  [4, 4, 4],
])('of %d slots, with %d of other workers, one instance gets at most %d', async (concurrency, others, most) => {
  if (others > 0) await reportWorker(db.database, randomUUID(), others)
  for (let n = 0; n < 9; n += 1) await add(`crowd ${n}`)
  worker = workOn(db.database, { work, late: work }, { concurrency, pace: { pollMs: 10, heartbeatMs: 20 } })
  await until('its share', () => (began.length >= most ? true : null))
  // Time for further claims and heartbeats.
  await db.database.query('select pg_sleep(0.1)')
  expect(began.length).toBe(most)
})

it('a paused worker claims nothing, and goes on when the pause is over', async () => {
  let isPaused = true
  await add('waits')
  worker = workOn(db.database, { work }, { isPaused: () => isPaused, pace: { pollMs: 10 } })
  await db.database.query('select pg_sleep(0.1)')
  const { rows } = await db.database.query('select state, attempts from jobs')
  expect([began, rows]).toEqual([[], [{ state: 'ready', attempts: 0 }]])
  isPaused = false
  await until('the job', () => began[0] ?? null)
})

it('a pause is told to the handlers, and jobs that were claimed when it began are given back unrun', async () => {
  let isPaused = false
  const stopping: boolean[] = []
  for (const key of ['one', 'two']) await add(key)
  const pausing: Handler = async ({ key }, signal) => {
    began.push(key)
    stopping.push(signal.isStopping())
    isPaused = true
    stopping.push(signal.isStopping())
    await release.promise
    return { done: true }
  }
  worker = workOn(db.database, { work: pausing }, { isPaused: () => isPaused, pace: { pollMs: 10 } })
  const givenBack = async () =>
    (await db.database.query(`select attempts, error from jobs where state = 'ready' and error is not null`)).rows[0] ?? null
  expect(await until('the other', givenBack)).toEqual({ attempts: 0, error: 'the worker stopped' })
  expect([began.length, stopping]).toEqual([1, [false, true]])
})

it('a job that fails its last attempt is set aside, and told of; one before that is not', async () => {
  const told: unknown[] = []
  for (const [key, attempts] of [
    ['last', MAX_ATTEMPTS - 1],
    ['before', MAX_ATTEMPTS - 2],
    ['patient', MAX_ATTEMPTS],
  ] as const) {
    await add(key)
    await db.database.query('update jobs set attempts = $2 where key = $1', [key, attempts])
  }
  const fails: Handler = async ({ key }) => ({ done: false, inMs: 3_600_000, isFailure: key !== 'patient', reason: 'down' })
  worker = workOn(db.database, { work: fails }, { onDeadJob: ({ kind, attempts }) => told.push([kind, attempts]) })
  const ended = async () => {
    const { rows } = await db.database.query('select key, state, attempts, error from jobs order by key')
    return rows.every(({ error }) => error !== null) ? rows : null
  }
  expect(await until('all', ended)).toEqual([
    { key: 'before', state: 'ready', attempts: MAX_ATTEMPTS - 1, error: 'down' },
    { key: 'last', state: 'dead', attempts: MAX_ATTEMPTS, error: 'down' },
    { key: 'patient', state: 'ready', attempts: MAX_ATTEMPTS, error: 'down' },
  ])
  expect(told).toEqual([['work', MAX_ATTEMPTS]])
})

it('a worker tells of its slots with each heartbeat', async () => {
  worker = workOn(db.database, { work }, { concurrency: 5 })
  const slots = async () => (await db.database.query<{ slots: number }>('select slots from workers')).rows[0]?.slots ?? null
  expect(await until('a heartbeat', slots)).toBe(5)
})
