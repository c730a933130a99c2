import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { Activity } from '../../src/jobs/activity.ts'
import { type JobWorker, startWorker } from '../../src/jobs/worker.ts'
import { WorkerPresence } from '../../src/jobs/worker-presence.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { countWorkers } from '../../src/store/db/deployment-health.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'

const BEATS = 10

describe('a worker at rest', () => {
  const db = databaseForTests()
  const database = openForTests(
    () => openDatabase(db.url),
    (database) => database.end(),
  )
  const started: JobWorker[] = []
  beforeEach(async () => {
    await Promise.all(started.splice(0).map((worker) => worker.stop()))
  })
  afterAll(async () => {
    await Promise.all(started.map((worker) => worker.stop()))
  })

  const ids = async () => (await database.query<{ id: string }>('select id from workers order by seen_at')).rows.map(({ id }) => id)

  function startOne(slots: number, activity: Activity): void {
    const pace = { heartbeatMs: 20, pollMs: 20 }
    started.push(startWorker({ database, handlers: {}, concurrency: slots, onError: () => undefined, activity, pace }))
  }

  /** Starts a worker whose session has been heard of, and lets it rest; returns its id. */
  async function startResting(): Promise<string> {
    let elapsedMs = 0
    const activity = new Activity(() => elapsedMs)
    startOne(3, activity)
    await until('the session', async () => ((await lockHolders()).length > 0 ? true : null))
    const [id = ''] = await until('the first heartbeat', async () => ((await ids()).length > 0 ? await ids() : null))
    elapsedMs = 120_000
    await until('the rest', async () => (activity.isResting() ? true : null))
    return id
  }

  async function lockHolders(): Promise<number[]> {
    const { rows } = await database.query<{ pid: number }>(
      `select l.pid from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where l.locktype = 'advisory'`,
    )
    return rows.map(({ pid }) => pid)
  }

  /** Waits until another worker, which never rests, has sent so many heartbeats. */
  async function awaitBeats(of: string): Promise<void> {
    const seenAt = async () =>
      (await database.query<{ at: string }>('select seen_at::text as at from workers where id = $1', [of])).rows[0]?.at ?? ''
    for (let beat = 0, last = await seenAt(); beat < BEATS; beat += 1) {
      const before = last
      last = await until('a heartbeat', async () => ((await seenAt()) === before ? null : await seenAt()))
    }
  }

  async function ageOf(id: string): Promise<number | null> {
    const { rows } = await database.query<{ age: number }>(
      'select extract(epoch from clock_timestamp() - seen_at)::float8 as age from workers where id = $1',
      [id],
    )
    return rows[0]?.age ?? null
  }

  it('writes no heartbeat, and counts as alive by the lock of its session', async () => {
    const resting = await startResting()
    await database.query(`update workers set seen_at = seen_at - interval '1 hour'`)
    startOne(5, new Activity())
    const busy = await until('the other', async () => (await ids()).find((id) => id !== resting) ?? null)
    await awaitBeats(busy)
    expect(await ageOf(resting)).toBeGreaterThan(3_000)
    expect(await countWorkers(database)).toEqual({ workers: 2, slots: 8 })
  })

  it('writes heartbeats again when its session breaks', async () => {
    const resting = await startResting()
    await database.query(`update workers set seen_at = seen_at - interval '1 hour'`)
    for (const pid of await lockHolders()) await database.query('select pg_terminate_backend($1)', [pid])
    await until('a heartbeat', async () => (((await ageOf(resting)) ?? 3_600) < 60 ? true : null))
  })

  it('writes heartbeats while its own session is broken, whatever else the process hears', async () => {
    const id = randomUUID()
    const presence = new WorkerPresence(id)
    const session = await database.connect()
    await presence.begun(session)
    await presence.report(database, 3, false)
    await database.query(`update workers set seen_at = seen_at - interval '1 hour'`)
    expect(await presence.report(database, 3, true)).toBe(3)
    expect(await ageOf(id)).toBeGreaterThan(3_000)
    session.release(true)
    presence.ended()
    await presence.report(database, 3, true)
    expect(await ageOf(id)).toBeLessThan(60)
    await database.query('delete from workers')
  })

  it('comes back when another release has removed it', async () => {
    const resting = await startResting()
    await database.query('delete from workers')
    await until('its row', async () => ((await ids()).includes(resting) ? true : null))
  })

  it('counts as dead without the lock, and its row is removed', async () => {
    const dead = randomUUID()
    await database.query(`insert into workers (id, slots, seen_at) values ($1, 7, clock_timestamp() - interval '76 seconds')`, [dead])
    expect(await countWorkers(database)).toEqual({ workers: 0, slots: 0 })
    startOne(5, new Activity())
    await until('the removal', async () => ((await ids()).includes(dead) ? null : true))
  })
})
