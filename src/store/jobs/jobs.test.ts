import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import {
  claimJobs,
  deleteRunningJob,
  emptyClaimMemory,
  enqueueJob,
  ensureJob,
  isDueOrRunning,
  isQueued,
  markJobDead,
  type NewJob,
  requeueJob,
  resetAttempts,
} from './jobs.ts'

const db = databaseForTests()
const INSTANCE = randomUUID()
const OWN = randomUUID()
const OTHER = randomUUID()
beforeEach(() => db.database.query('delete from jobs'))

const add = (job: Partial<NewJob> = {}) =>
  enqueueJob(db.database, { instanceId: INSTANCE, kind: 'work', key: 'a', payload: { n: 1 }, ...job })
const claim = (limit = 1) => ({ worker: OWN, kinds: ['work'], limit, leaseMs: 60_000, after: null, cap: 100 })

async function claimOne(): Promise<{ id: string; key: string }> {
  const [job] = await claimJobs(db.database, claim())
  return job ?? expect.fail('no job is due')
}

async function rows(columns: string): Promise<object[]> {
  return (await db.database.query(`select ${columns} from jobs order by key, state`)).rows
}

describe('a job that is queued', () => {
  test('is due at once and calls no source unless it says so', async () => {
    await add()
    await add({ key: 'b', provider: 'xero', delayMs: 3_600_000 })
    expect(await rows('key, provider, payload, run_at <= clock_timestamp() as due')).toEqual([
      { key: 'a', provider: '', payload: { n: 1 }, due: true },
      { key: 'b', provider: 'xero', payload: { n: 1 }, due: false },
    ])
  })

  test.each([
    ['ready', 'work', 'a', true],
    ['running', 'work', 'a', true],
    ['dead', 'work', 'a', false],
    ['ready', 'other', 'a', false],
    ['running', 'other', 'a', false],
    ['ready', 'work', 'b', false],
  ])('as %s, of the kind %s and key %s, is found by its kind and key: %s', async (state, kind, key, expected) => {
    await add({ kind, key })
    await db.database.query('update jobs set state = $1', [state])
    expect(await isQueued(db.database, 'work', 'a')).toBe(expected)
    expect(await isDueOrRunning(db.database, 'work', 'a')).toBe(expected)
    await ensureJob(db.database, { instanceId: INSTANCE, kind: 'work', key: 'a', payload: { n: 2 } })
    expect(await rows('payload, provider')).toHaveLength(expected ? 1 : 2)
  })

  test('for later is queued, but not due, and keeps its time where one is to exist', async () => {
    await add({ delayMs: 3_600_000 })
    expect([await isQueued(db.database, 'work', 'a'), await isDueOrRunning(db.database, 'work', 'a')]).toEqual([true, false])
    await ensureJob(db.database, { instanceId: INSTANCE, kind: 'work', key: 'a', payload: {} })
    expect(await isDueOrRunning(db.database, 'work', 'a')).toBe(false)
  })

  test('to exist is queued with what it was given', async () => {
    const given = { instanceId: INSTANCE, kind: 'work', key: 'a', provider: 'xero', payload: { n: 3 } }
    await ensureJob(db.database, given)
    await ensureJob(db.database, { instanceId: INSTANCE, kind: 'work', key: 'b', payload: {} })
    expect(await rows('instance_id as "instanceId", kind, key, provider, payload')).toEqual([
      given,
      { ...given, key: 'b', provider: '', payload: {} },
    ])
  })

  test.each([
    ['ready', 2, 'a', true],
    ['ready', 0, 'a', false],
    ['running', 2, 'a', false],
    ['ready', 2, 'b', false],
  ])('as %s after %i attempts, with the key %s, gets all its attempts back: %s', async (state, attempts, key, expected) => {
    await add({ key })
    await db.database.query('update jobs set state = $1, attempts = $2, furthest = 7', [state, attempts])
    expect(await resetAttempts(db.database, 'work', 'a')).toBe(expected)
    expect(await rows('attempts, furthest')).toEqual([expected ? { attempts: 0, furthest: 0 } : { attempts, furthest: 7 }])
  })
})

describe('a claim', () => {
  test('gives all that a job has, and nothing else', async () => {
    await add({ provider: 'xero' })
    const [job] = await claimJobs(db.database, claim())
    expect(job).toEqual({
      ...{ id: expect.any(String), instanceId: INSTANCE, kind: 'work', key: 'a', provider: 'xero' },
      ...{ payload: { n: 1 }, attempts: 1, furthest: 0, traceParent: null },
    })
  })

  test('with a memory gives the same jobs, and remembers what it has seen', async () => {
    for (const key of ['a', 'b']) await add({ key })
    const memory = emptyClaimMemory()
    const jobs = await claimJobs(db.database, { ...claim(5), memory })
    expect(jobs.map(({ key }) => key).toSorted()).toEqual(['a', 'b'])
    expect(memory.known).toMatchObject({ fullAt: expect.any(String) })
    expect(await claimJobs(db.database, { ...claim(5), memory })).toEqual([])
  })

  test('continues behind the lane that it is given', async () => {
    for (const provider of ['a', 'b', 'c']) await add({ key: provider, provider })
    const next = async (after: { instanceId: string; provider: string } | null) =>
      (await claimJobs(db.database, { ...claim(), after })).map(({ provider }) => provider)
    expect(await next({ instanceId: INSTANCE, provider: 'b' })).toEqual(['c'])
    expect(await next(null)).toEqual(['a'])
  })
})

describe('a running job', () => {
  beforeEach(() => add())

  test('that is to come again waits, with its reason, attempts and progress', async () => {
    const job = await claimOne()
    await requeueJob(db.database, OTHER, { ...job, furthest: 4 }, { inMs: 0, attempts: 3, reason: 'of another worker' })
    expect(await rows('state, attempts')).toEqual([{ state: 'running', attempts: 1 }])
    await requeueJob(db.database, OWN, { ...job, furthest: 4 }, { inMs: 60_000, attempts: 3, reason: 'the source is down' })
    expect(await rows('state, attempts, furthest, error, worker, lease_until, run_at > clock_timestamp() as later')).toEqual([
      { state: 'ready', attempts: 3, furthest: 4, error: 'the source is down', worker: null, lease_until: null, later: true },
    ])
  })

  test('that is to come again yields to one of its kind and key, not of another kind', async () => {
    const job = await claimOne()
    await add({ kind: 'other' })
    await requeueJob(db.database, OWN, { ...job, furthest: 0 }, { inMs: 0, attempts: 1, reason: 'again' })
    expect(await rows('kind')).toHaveLength(2)
    const again = await claimOne()
    await add({ payload: { n: 2 } })
    await requeueJob(db.database, OWN, { ...again, furthest: 0 }, { inMs: 0, attempts: 1, reason: 'again' })
    expect(await rows(`payload`)).toEqual([{ payload: { n: 1 } }, { payload: { n: 2 } }])
  })

  test('is set aside as dead by its own worker only, with its reason', async () => {
    const job = await claimOne()
    expect(await markJobDead(db.database, OTHER, job, 'not mine')).toBeNull()
    expect(await markJobDead(db.database, OWN, job, 'broken')).toEqual({ id: job.id, instanceId: INSTANCE, kind: 'work', attempts: 1 })
    expect(await rows('state, error, worker, lease_until, died_at is not null as died')).toEqual([
      { state: 'dead', error: 'broken', worker: null, lease_until: null, died: true },
    ])
    expect(await markJobDead(db.database, OWN, job, 'again')).toBeNull()
  })

  test('is deleted once', async () => {
    const job = await claimOne()
    expect(await deleteRunningJob(db.database, { ...job, id: randomUUID() })).toBe(false)
    expect([await deleteRunningJob(db.database, job), await deleteRunningJob(db.database, job), await rows('1')]).toEqual([true, false, []])
  })
})
