import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Activity } from '../../src/jobs/activity.ts'
import { type Handler, type JobWorker, MAX_ATTEMPTS, type WorkerOptions } from '../../src/jobs/worker.ts'
import type { Database } from '../../src/store/db/database.ts'
import { announceJobs, enqueueJob } from '../../src/store/jobs/jobs.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { fillLane, workOn } from './queue.ts'

const db = databaseForTests()
const INSTANCE = randomUUID()
const NEVER = { pollMs: 3_600_000, heartbeatMs: 3_600_000 }

let worker: JobWorker | null = null
/** Ends the handlers that wait. */
let release: PromiseWithResolvers<void>
let activity: Activity
/** Signs of work: notifications, and claims that found jobs. */
let signs: number
let began: string[]
let errors: string[]
beforeEach(async () => {
  release = Promise.withResolvers()
  activity = new Activity()
  signs = 0
  activity.onWork(() => {
    signs += 1
  })
  began = []
  errors = []
  await db.database.query('delete from jobs')
})
afterEach(async () => {
  release.resolve()
  await worker?.stop()
  worker = null
})

const work: Handler = async ({ key }) => {
  began.push(key)
  await release.promise
  return { done: true }
}
const add = (key: string) => enqueueJob(db.database, { instanceId: INSTANCE, kind: 'work', key, payload: {} })
const start = (database: Database, options: Partial<WorkerOptions> = {}): void => {
  const onError: WorkerOptions['onError'] = (error, job) => void errors.push(`${error} ${job?.key ?? 'no job'}`)
  worker = workOn(database, { work }, { activity, onError, pace: NEVER, ...options })
}

/** A database in which `meanwhile` happens before statements with the given text have their answers, by number. */
function interrupted(text: string, meanwhile: (count: number) => Promise<void>) {
  let count = 0
  const query = async (statement: string | { text: string; values: unknown[] }, values?: unknown[]) => {
    const asked = typeof statement === 'string' ? { text: statement, ...(values ? { values } : {}) } : statement
    const answer = await db.database.query(asked)
    if (!asked.text.includes(text)) return answer
    count += 1
    await meanwhile(count)
    return answer
  }
  const database = Object.assign(Object.create(db.database) as Database, { query, sessions: db.database })
  return { database, asked: () => count }
}

/** Queues a job and waits until this process has heard of it. */
async function addHeard(key: string): Promise<void> {
  await add(key)
  await until('the announcement', async () => {
    if (signs > 0) return true
    await announceJobs(db.database)
    return null
  })
}

describe('a claim', () => {
  it('is followed by another until all slots are taken or nothing is due', async () => {
    await fillLane(db.database, { instanceId: INSTANCE }, 201)
    start(db.database, { concurrency: 300 })
    await until('all of them', () => (began.length === 201 ? true : null))
  })

  it('is a sign of work if it finds a job', async () => {
    const { database, asked } = interrupted('claim_due_jobs', async () => undefined)
    start(database)
    await until('the claim', () => (asked() > 0 ? true : null))
    await db.database.query('select 1')
    expect(signs).toBe(0)
    await worker?.stop()
    signs = 0
    await fillLane(db.database, { instanceId: INSTANCE }, 1)
    start(db.database)
    await until('the job', () => began[0] ?? null)
    expect(signs).toBe(1)
  })

  it('during which a job is announced is followed by another', async () => {
    const { database } = interrupted('claim_due_jobs', async (count) => {
      if (count === 1) await addHeard('announced')
    })
    start(database)
    expect(await until('the job', () => began[0] ?? null)).toBe('announced')
  })

  it('that fails is reported, and made again at once only if a job was announced meanwhile', async () => {
    const failing = interrupted('claim_due_jobs', async (count) => {
      if (count === 1) await addHeard('announced')
      if (count < 3) throw new Error('no database')
    })
    start(failing.database)
    await until('two failures', () => (errors.length === 2 ? true : null))
    // Time for another claim, if there were one.
    await db.database.query('select pg_sleep(0.05)')
    expect([errors, failing.asked()]).toEqual([['Error: no database no job', 'Error: no database no job'], 2])
  })

  it('that takes the last slot while a job is announced is followed by none until a slot is free', async () => {
    await add('first')
    const filling = interrupted('claim_due_jobs', async (count) => {
      if (count === 1) await addHeard('second')
    })
    start(filling.database, { concurrency: 1 })
    await until('the first', () => began[0] ?? null)
    await db.database.query('select pg_sleep(0.05)')
    expect([began, filling.asked()]).toEqual([['first'], 1])
    release.resolve()
    await until('the second', () => began[1] ?? null)
  })
})

describe('a heartbeat', () => {
  it('that fails is reported, and the next one is sent', async () => {
    const failing = interrupted('insert into workers', async (count) => {
      if (count === 1) throw new Error('no database')
    })
    start(failing.database, { pace: { ...NEVER, heartbeatMs: 20 } })
    await until('another heartbeat', () => (failing.asked() > 1 ? true : null))
    expect(errors).toEqual(['Error: no database no job'])
  })

  it.each([true, false])('sets a job aside that every worker lost, and tells of it if anybody listens: %s', async (isTold) => {
    await add('deadly')
    const lost = `state = 'running', attempts = $1, worker = gen_random_uuid(), lease_until = clock_timestamp() - interval '1 second'`
    await db.database.query(`update jobs set ${lost}`, [MAX_ATTEMPTS])
    const told: unknown[] = []
    start(db.database, isTold ? { onDeadJob: ({ kind, attempts }) => told.push([kind, attempts]) } : {})
    const isDead = async () => (await db.database.query(`select from jobs where state = 'dead'`)).rows.length === 1 || null
    await until('its death', isDead)
    await worker?.stop()
    expect([told, errors, began]).toEqual([isTold ? [['work', MAX_ATTEMPTS]] : [], [], []])
  })
})
