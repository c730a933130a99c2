import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nextLaneCursor } from '../../src/jobs/round-robin.ts'
import type { Handler, JobWorker } from '../../src/jobs/worker.ts'
import { enqueueJob, type Job, type Lane } from '../../src/store/jobs/jobs.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { effort } from '../prove/effort.ts'
import { claim, fillLane, workOn } from './queue.ts'

let db: TestDatabase
let workers: JobWorker[] = []
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  workers = []
  await db.drop()
})

const countOf = (jobs: Job[], instanceId: string) => jobs.filter((job) => job.instanceId === instanceId).length

/** Claims one job at a time, each claim continuing after the lane of the previous one. */
async function oneByOne(count: number): Promise<Lane[]> {
  const served: Lane[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const after = served.at(-1) ?? null
    const jobs = await claim(db.database, 1, { after })
    served.push(nextLaneCursor(jobs, after) ?? { instanceId: '', provider: '' })
  }
  return served
}

describe('a claim', () => {
  it('takes from every instance in turn, however many jobs one has waiting', async () => {
    const [flooded, ...quiet] = Array.from({ length: 4 }, () => randomUUID())
    await fillLane(db.database, { instanceId: flooded ?? '' }, 10_000)
    for (const instanceId of quiet) await fillLane(db.database, { instanceId }, 1)
    const jobs = await claim(db.database, 8)
    expect(quiet.map((instanceId) => countOf(jobs, instanceId))).toEqual([1, 1, 1])
    expect(jobs, 'the quiet ones leave their places to the other').toHaveLength(8)
  })

  it('finds the one matching job behind many lanes without any', async () => {
    const instances = Array.from({ length: 40 }, () => randomUUID()).toSorted()
    for (const instanceId of instances.slice(0, -1)) await fillLane(db.database, { instanceId, kind: 'other' }, 2)
    await fillLane(db.database, { instanceId: instances.at(-1) ?? '' }, 1)
    expect(await claim(db.database, 5)).toMatchObject([{ instanceId: instances.at(-1) }])
  })

  it('lets no lane use the last slot of its instance for jobs that cannot run', async () => {
    const job = { instanceId: randomUUID(), kind: 'work', key: 'same', payload: {} }
    await enqueueJob(db.database, job)
    expect(await claim(db.database, 1)).toHaveLength(1)
    await enqueueJob(db.database, job)
    await enqueueJob(db.database, { ...job, key: 'free', provider: 'xero' })
    expect(await claim(db.database, 10, { cap: 2 })).toMatchObject([{ key: 'free' }])
  })

  it('of a single job continues with the next instance', async () => {
    const instances = Array.from({ length: 5 }, () => randomUUID()).toSorted()
    for (const instanceId of instances) await fillLane(db.database, { instanceId }, 10)
    expect((await oneByOne(10)).map(({ instanceId }) => instanceId)).toEqual([...instances, ...instances])
  })

  it('of a single job continues with the next provider of an instance', async () => {
    const instanceId = randomUUID()
    for (const provider of ['', 'plaid', 'xero']) await fillLane(db.database, { instanceId, provider }, 10)
    expect((await oneByOne(6)).map(({ provider }) => provider)).toEqual(['', 'plaid', 'xero', '', 'plaid', 'xero'])
  })

  it('returns the full number if only one lane has it', async () => {
    await fillLane(db.database, { instanceId: randomUUID() }, 100)
    expect(await claim(db.database, 50)).toHaveLength(50)
  })

  it('skips an instance and a provider at their caps, and takes from the others', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    await fillLane(db.database, { instanceId: first, provider: 'xero' }, 20)
    await fillLane(db.database, { instanceId: first, provider: 'plaid' }, 20)
    await fillLane(db.database, { instanceId: second, provider: 'xero' }, 20)
    await fillLane(db.database, { instanceId: second }, 20)
    const jobs = [...(await claim(db.database, 50, { cap: 4 })), ...(await claim(db.database, 50, { cap: 4 }))]
    expect([first, second].map((instanceId) => countOf(jobs, instanceId))).toEqual([4, 4])
    const { rows } = await db.database.query<{ most: number }>(
      `select max(count)::int as most from (select count(*) from jobs where state = 'running' and provider <> '' group by provider) c`,
    )
    expect(rows[0]?.most).toBeLessThanOrEqual(4)
  })

  it('of eight processes at once respects the caps', async () => {
    const instances = [randomUUID(), randomUUID()]
    for (const instanceId of instances) await fillLane(db.database, { instanceId, provider: 'xero' }, 200)
    const claimed = await Promise.all(Array.from({ length: 8 }, () => claim(db.database, 5, { cap: 7 })))
    expect(claimed.flat()).toHaveLength(7)
    expect(new Set(claimed.flat().map(({ id }) => id)).size).toBe(7)
  })

  it('does not wait for a job that another transaction is changing', async () => {
    const job = { instanceId: randomUUID(), kind: 'work', key: 'held', payload: {} }
    await enqueueJob(db.database, job)
    const other = await db.database.connect()
    await other.query('begin')
    await enqueueJob(other, job)
    expect(await claim(db.database, 1)).toEqual([])
    await other.query('commit')
    other.release()
    expect(await claim(db.database, 1)).toHaveLength(1)
  })

  it('reads no more of the queue with a million waiting jobs than with few', async () => {
    const instances = Array.from({ length: 50 }, () => randomUUID())
    for (const instanceId of instances) await fillLane(db.database, { instanceId, provider: 'xero' }, effort.waitingJobs / 50)
    await claim(db.database, 8)
    await db.database.query('select pg_stat_force_next_flush()')
    const before = await rowsRead()
    const jobs = await claim(db.database, 8)
    expect(new Set(jobs.map(({ instanceId }) => instanceId)).size).toBe(8)
    expect((await rowsRead()) - before).toBeLessThan(500)
  })

  /** Rows of the queue read by statements so far. */
  async function rowsRead(): Promise<number> {
    const { rows } = await db.database.query<{ count: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as count from (select pg_stat_force_next_flush()) f, pg_stat_user_tables where relname = 'jobs'`,
    )
    return rows[0]?.count ?? Number.NaN
  }
})

describe('workers of several processes', () => {
  it('let no instance take all slots: the one job of another starts while ten thousand wait', async () => {
    const [flooded, quiet] = [randomUUID(), randomUUID()]
    await fillLane(db.database, { instanceId: flooded, provider: 'xero' }, 10_000)
    const started = Promise.withResolvers<void>()
    const full = Promise.withResolvers<void>()
    let held = 0
    const release = Promise.withResolvers<void>()
    const handler: Handler = async (job) => {
      if (job.instanceId === quiet) started.resolve()
      else if (++held === 12) full.resolve()
      await release.promise
      return { done: true }
    }
    const pace = { heartbeatMs: 100 }
    workers = [workOn(db.database, { work: handler }, { pace }), workOn(db.database, { work: handler }, { pace })]
    // Sixteen slots in total, of which the flood may use three quarters.
    await full.promise
    await enqueueJob(db.database, { instanceId: quiet, kind: 'work', key: 'one', provider: 'plaid', payload: {} })
    await started.promise
    expect(held).toBe(12)
    await db.database.query(`delete from jobs where state = 'ready'`)
    release.resolve()
  })
})
