import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobWorker } from '../../src/jobs/worker.ts'
import { databaseTime } from '../../src/store/db/database.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { fillLane, workOn } from './queue.ts'

const NEVER = 3_600_000

let db: TestDatabase
let worker: JobWorker | null = null
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  await worker?.stop()
  await db.drop()
})

/** A worker that has found the queue empty, and the next key that it processes. */
async function idleWorker(pollMs: number): Promise<{ next: Promise<string> }> {
  const busy = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const next = Promise.withResolvers<string>()
  await enqueueJob(db.database, { instanceId: randomUUID(), kind: 'work', key: 'first', payload: {} })
  const handler = async ({ key }: { key: string }) => {
    if (key === 'first') {
      busy.resolve()
      await finish.promise
    } else {
      next.resolve(key)
    }
    return { done: true } as const
  }
  worker = workOn(db.database, { work: handler }, { concurrency: 1, pace: { pollMs } })
  await busy.promise
  while ((await listeners()) === 0) await db.database.query('select pg_sleep(0.01)')
  const before = await databaseTime(db.database)
  finish.resolve()
  // Its only slot was busy until now, so the next claim is the one that finds nothing.
  while (!(await hasClaimedSince(before))) await db.database.query('select pg_sleep(0.01)')
  return { next: next.promise }
}

async function hasClaimedSince(at: Date): Promise<boolean> {
  const { rows } = await db.database.query(
    `select 1 from pg_stat_activity where datname = current_database() and query like '%from claim_due_jobs(%' and state = 'idle'
       and pid <> pg_backend_pid() and query_start > $1`,
    [at],
  )
  return rows.length > 0
}

async function listeners(): Promise<number> {
  const { rows } = await db.database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and query = 'listen jobs' and state = 'idle'`,
  )
  return rows[0]?.count ?? 0
}

describe('an idle worker', () => {
  it('starts a job on notification, without waiting for the poll', async () => {
    const { next } = await idleWorker(NEVER)
    await enqueueJob(db.database, { instanceId: randomUUID(), kind: 'work', key: 'announced', payload: {} })
    expect(await next).toBe('announced')
  })

  it('finds a job at the next poll if its notification was lost', async () => {
    const { next } = await idleWorker(50)
    await fillLane(db.database, { instanceId: randomUUID() }, 1)
    expect(await next).toMatch(/^key/)
  })

  it('continues when its connection breaks, and listens again', async () => {
    const { next } = await idleWorker(50)
    const { rows } = await db.database.query<{ pid: number }>(
      `select pid, pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and query = 'listen jobs'`,
    )
    expect(rows).toHaveLength(1)
    await fillLane(db.database, { instanceId: randomUUID() }, 1)
    expect(await next).toMatch(/^key/)
    while ((await listeners()) === 0) await db.database.query('select pg_sleep(0.01)')
  })
})
