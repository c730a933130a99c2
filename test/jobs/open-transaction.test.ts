import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nextLaneCursor } from '../../src/jobs/round-robin.ts'
import type { Db } from '../../src/store/db/database.ts'
import { completeJobs, extendLeases } from '../../src/store/jobs/held-jobs.ts'
import { type ClaimMemory, emptyClaimMemory, enqueueJob, type Job, type Lane } from '../../src/store/jobs/jobs.ts'
import { openRowCounter, type RowCounter } from '../growth/rows-read.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { Random } from '../simulation/random.ts'
import { claim, fillLane } from './queue.ts'

const FINISHED = 20_000
const AT_ONCE = 200
const STEPS = 200

let db: TestDatabase
let counter: RowCounter
let children: ChildProcess[] = []
beforeEach(async () => {
  db = await testDatabase()
  counter = openRowCounter(db.url)
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children = []
  await counter.close()
  await db.drop()
})

/** Claims and completes as a worker does. */
class Claimer {
  readonly id = randomUUID()
  memory: ClaimMemory = emptyClaimMemory()
  after: Lane | null = null

  async claim(database: Db, limit: number, cap = 1_000_000): Promise<(Job & Lane)[]> {
    const jobs = await claim(database, limit, { worker: this.id, memory: this.memory, after: this.after, cap })
    this.after = nextLaneCursor(jobs, this.after)
    return jobs
  }

  /** As if all jobs had been looked at just now, which it does every ten seconds: how long a test takes does not count. */
  async keepMemory(database: Db): Promise<void> {
    const { rows } = await database.query<{ fullAt: string }>('select statement_timestamp()::text as "fullAt"')
    this.memory.known = { ...(this.memory.known as object), ...rows[0] }
  }

  async work(database: Db, limit: number): Promise<string[]> {
    const jobs = await this.claim(database, limit)
    await completeJobs(database, this.id, jobs)
    return jobs.map(({ key }) => key)
  }
}

describe(`beside an open transaction, after ${FINISHED} finished jobs`, () => {
  it.each([
    ['one lane', 1],
    ['twenty lanes', 20],
  ])(`of %s, a claim reads at most three times as much as the first, and what the last claims have left`, async (_, lanes) => {
    for (let lane = 0; lane < lanes; lane += 1)
      await fillLane(counter.database, { instanceId: randomUUID(), provider: `bank-${lane}` }, (FINISHED + AT_ONCE) / lanes)
    await counter.openSnapshot()
    const worker = new Claimer()
    const entriesRead = () => counter.countEntries('jobs', () => worker.work(counter.database, 1))
    const first = await entriesRead()
    for (let done = 0; done < FINISHED; done += AT_ONCE) await worker.work(counter.database, AT_ONCE)
    await counter.database.query('analyze jobs')
    await worker.keepMemory(counter.database)
    expect(await entriesRead()).toBeLessThan(3 * first + AT_ONCE)
    // The planner then knows that hardly any job runs, and has no reason of its own to look up one of them.
    await counter.database.query('analyze jobs')
    expect(await entriesRead()).toBeLessThan(3 * first + AT_ONCE)
    const jobs = await worker.claim(counter.database, 2)
    expect(await counter.countEntries('jobs', () => extendLeases(counter.database, worker.id, jobs, 60_000))).toBeLessThan(10)
  })
})

describe('a claim that remembers the last one', () => {
  it('takes the same jobs as one that looks at everything, whatever other workers do', async () => {
    const random = new Random(7)
    const instances = Array.from({ length: 6 }, () => randomUUID())
    const lane = () => ({ instanceId: random.pick(instances), provider: random.pick(['', 'bank', 'xero']) })
    for (let n = 0; n < 40; n += 1)
      await fillLane(db.database, { ...lane(), kind: random.pick(['work', 'work', 'other']) }, 1 + random.below(12))
    const workers = [new Claimer(), new Claimer(), new Claimer()]
    const running: { worker: Claimer; job: Job }[] = []
    let claimed = 0
    for (let step = 0; step < STEPS; step += 1) {
      const worker = random.pick(workers)
      const [limit, cap] = [1 + random.below(12), random.pick([3, 6, 1_000])]
      const all = await keysOfFullClaim(worker, limit, cap)
      const jobs = await worker.claim(db.database, limit, cap)
      expect(jobs.map(({ key }) => key).toSorted(), `step ${step}`).toEqual(all)
      claimed += jobs.length
      running.push(...jobs.map((job) => ({ worker, job })))
      for (const { worker, job } of running.splice(0, random.below(running.length + 1))) await completeJobs(db.database, worker.id, [job])
      const again = { ...lane(), kind: 'work', payload: {} }
      const delayMs = random.pick([0, 0, 3_600_000])
      for (let n = random.below(5); n > 0; n -= 1) await enqueueJob(db.database, { ...again, key: `key/${random.below(30)}`, delayMs })
    }
    expect(claimed).toBeGreaterThan(STEPS)
  })

  async function keysOfFullClaim({ id, after }: Claimer, limit: number, cap: number): Promise<string[]> {
    const client = await db.database.connect()
    try {
      await client.query('begin')
      return (await claim(client, limit, { worker: id, after, cap })).map(({ key }) => key).toSorted()
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  it('finds a job whose transaction lasted longer than those of many later ones with the next full claim', async () => {
    const instanceId = randomUUID()
    await fillLane(db.database, { instanceId }, 10)
    const worker = new Claimer()
    await worker.work(db.database, 5)
    const late = `insert into jobs (instance_id, kind, key, run_at) values ($1, 'work', 'late', statement_timestamp() - interval '2 minutes')`
    await db.database.query(late, [instanceId])
    expect(await worker.work(db.database, 5)).not.toContain('late')
    worker.memory.known = { ...(worker.memory.known as object), fullAt: '2000-01-01T00:00:00Z' }
    expect(await worker.work(db.database, 5)).toEqual(['late'])
  })
})

it('workers of several processes leave no job behind, beside an open transaction and with jobs that appear late', async () => {
  const instances = [randomUUID(), randomUUID()]
  for (const instanceId of instances) await fillLane(db.database, { instanceId, provider: 'bank' }, 1_000)
  await counter.openSnapshot()
  const late = await counter.openSnapshot()
  for (const instanceId of instances)
    await late.query(
      `insert into jobs (instance_id, kind, key, provider, run_at) values ($1, 'work', 'late/' || gen_random_uuid(), 'bank', statement_timestamp() - interval '2 minutes')`,
      [instanceId],
    )
  const script = new URL('./worker-process.ts', import.meta.url).pathname
  children = [1, 2, 3].map(() => spawn(process.execPath, [script, db.url], { stdio: ['ignore', 'ignore', 'inherit'] }))
  await untilLeft(500)
  await late.query('commit')
  await untilLeft(0)
  for (const child of children) child.kill('SIGTERM')
  expect(await Promise.all(children.map((child) => once(child, 'exit')))).toEqual(children.map(() => [0, null]))
}, 60_000)

async function untilLeft(most: number): Promise<void> {
  for (;;) {
    const { rows } = await db.database.query<{ count: number }>('select count(*)::int as count from jobs, pg_sleep(0.05)')
    if ((rows[0]?.count ?? 0) <= most) return
  }
}
