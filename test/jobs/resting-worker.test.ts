import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { JobWorker } from '../../src/jobs/worker.ts'
import { WorkerPresence } from '../../src/jobs/worker-presence.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { countWorkers } from '../../src/store/db/deployment-health.ts'
import { testDatabase } from '../harness/database.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { ageHeartbeats, listIds, listLockHolders, readAge, startResting, untilSilent } from './resting-worker.ts'

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

  /** Starts a worker and lets it rest; returns its id. */
  async function startOne(): Promise<string> {
    const { id, worker, rest } = await startResting(database)
    started.push(worker)
    await rest()
    return id
  }

  it('writes no heartbeat, and counts as alive by the lock of its session', async () => {
    const resting = [await startOne(), await startOne()]
    await untilSilent(database, resting)
    expect(await countWorkers(database)).toEqual({ workers: 2, slots: 6 })
  })

  it('writes heartbeats again when its session breaks', async () => {
    const resting = await startOne()
    await ageHeartbeats(database)
    for (const pid of await listLockHolders(database)) await database.query('select pg_terminate_backend($1)', [pid])
    await until('a heartbeat', async () => (((await readAge(database, resting)) ?? 3_600) < 60 ? true : null))
  })

  it('writes heartbeats while its own session is broken, whatever else the process hears', async () => {
    const id = randomUUID()
    const presence = new WorkerPresence(id)
    const session = await database.connect()
    await presence.begun(session)
    await presence.report(database, 3, false)
    await ageHeartbeats(database)
    expect(await presence.report(database, 3, true)).toBe(3)
    expect(await readAge(database, id)).toBeGreaterThan(3_000)
    session.release(true)
    presence.ended()
    await presence.report(database, 3, true)
    expect(await readAge(database, id)).toBeLessThan(60)
    await database.query('delete from workers')
  })

  it('writes heartbeats while its session is with another server than the one that is asked', async () => {
    const id = randomUUID()
    const presence = new WorkerPresence(id)
    const former = await testDatabase()
    const session = await former.database.connect()
    await presence.begun(session)
    await presence.report(database, 3, true)
    await ageHeartbeats(database)
    await presence.report(database, 3, true)
    expect(await readAge(database, id)).toBeLessThan(60)
    session.release(true)
    await former.drop()
    await database.query('delete from workers')
  })

  it('comes back when another release has removed it', async () => {
    const resting = await startOne()
    await database.query('delete from workers')
    await until('its row', async () => ((await listIds(database)).includes(resting) ? true : null))
  })

  it('counts as dead without the lock, and its row is removed', async () => {
    const dead = randomUUID()
    await database.query(`insert into workers (id, slots, seen_at) values ($1, 7, clock_timestamp() - interval '76 seconds')`, [dead])
    expect(await countWorkers(database)).toEqual({ workers: 0, slots: 0 })
    const { worker } = await startResting(database)
    started.push(worker)
    await until('the removal', async () => ((await listIds(database)).includes(dead) ? null : true))
  })
})
