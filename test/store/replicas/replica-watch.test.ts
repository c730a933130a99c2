import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/store/db/database.ts'
import { ReplicaServer } from '../../../src/store/db/replicas/replica-server.ts'
import { ReplicaWatch } from '../../../src/store/db/replicas/replica-watch.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { StandIn } from './stand-in.ts'

const MAX_MS = 60_000
const primary = openForTests(databaseOfOneServer, ({ drop }) => drop())
const standby = openForTests(StandIn.open)
const clock = { ms: 0 }
let database: Database
let server: ReplicaServer
let watch: ReplicaWatch

beforeEach(() => {
  clock.ms = 500
  database = openDatabase(primary.url, { max: 4 })
  database.on('error', () => undefined)
  server = new ReplicaServer(standby.url, { maxStalenessMs: MAX_MS, onChange: () => undefined })
  watch = open(4)
})
afterEach(async () => {
  await Promise.all([server.close(), watch.close()])
  await database.end()
  await primary.database.query('truncate read_marks, recent_changes_epoch')
  await standby.reset()
})

function open(probeIntervalMs: number): ReplicaWatch {
  return new ReplicaWatch(database, [server], { elapsedMs: () => clock.ms, now: () => new Date(clock.ms), probeIntervalMs })
}

async function countMarks(): Promise<number> {
  return (await primary.database.query('select from read_marks')).rowCount ?? 0
}

/** Until so many more rounds have begun, or marks were written. */
const awaitProbes = async (more: number) => {
  const before = await standby.countAsked()
  await until('it was asked', async () => ((await standby.countAsked()) >= before + more ? true : null))
}
const awaitMarks = async () => {
  await primary.database.query('truncate read_marks')
  await until('marks are written', async () => ((await countMarks()) > 2 ? true : null))
}
const awaitRest = async () => await until('it rests', () => (watch.isRunning ? null : true))
const awaitServing = async () =>
  await until('the replica serves', async () => {
    await standby.follow(primary.database)
    return server.mark === null ? null : true
  })

describe('a watch of replicas', () => {
  it('does nothing before it is used, then marks the primary and asks the replica', async () => {
    expect([watch.isRunning, await countMarks()]).toEqual([false, 0])
    watch.use()
    expect(watch.isRunning).toBe(true)
    await awaitServing()
    expect(server.mark).toMatchObject({ askedAtMs: 500, askedAtTime: 500 })
  })

  it('goes on for ten seconds after it was used, and then closes its connection', async () => {
    watch.use()
    await awaitMarks()
    clock.ms += 9_999
    await awaitMarks()
    watch.use()
    clock.ms += 9_999
    await awaitMarks()
    expect(watch.isRunning).toBe(true)
    clock.ms += 1
    await awaitRest()
    const marks = await countMarks()
    await until('its connection is closed', () => (standby.proxy.open === 0 ? true : null))
    expect(await countMarks()).toBe(marks)
    watch.use()
    await awaitMarks()
  })

  it('goes on as long as a read is under way, and ten seconds more', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const read = watch.during(() => promise)
    watch.use()
    clock.ms += 100_000
    await awaitMarks()
    const failing = watch.during(() => Promise.reject(new Error('no rows')))
    await expect(failing).rejects.toThrow('no rows')
    clock.ms += 100_000
    await awaitMarks()
    resolve('rows')
    expect(await read).toBe('rows')
    clock.ms += 9_999
    await awaitMarks()
    clock.ms += 1
    await awaitRest()
  })

  it('takes no mark from before a rest as a proof', async () => {
    watch.use()
    await awaitServing()
    clock.ms += 10_000
    await awaitRest()
    expect(server.mark).not.toBeNull()
    watch.use()
    await until('the replica shows none of the new ones', () => (server.mark === null ? true : null))
    await awaitServing()
    expect(server.mark?.askedAtMs).toBe(10_500)
  })

  it('knows marks for 65 seconds, so that it can tell how far an unused replica is behind', async () => {
    watch.use()
    await awaitServing()
    await primary.database.query('truncate read_marks')
    const lag = async (ageMs: number) => {
      watch.use()
      clock.ms = 500 + ageMs
      watch.use()
      await awaitMarks()
      await awaitProbes(3)
      return server.state
    }
    expect(await lag(65_000)).toEqual({ phase: 'behind', reason: 'it is 65.0 s behind', lagMs: 65_000 })
    // What was known last: a probe may have begun with marks from before.
    await lag(65_001)
    expect((await lag(66_000)).lagMs).toBeLessThanOrEqual(65_001)
  })

  it('writes one mark at a time, and asks on while the primary is slow', async () => {
    const writer = await primary.database.connect()
    try {
      await writer.query('begin; lock table read_marks in access exclusive mode')
      watch.use()
      await awaitProbes(4)
      const waiting = `select from pg_locks where relation = 'read_marks'::regclass and not granted`
      expect((await primary.database.query(waiting)).rowCount).toBe(1)
      await writer.query('commit')
    } finally {
      writer.release(true)
    }
    await awaitMarks()
  })

  it('asks on while no mark can be written, and marks again when it can', async () => {
    await primary.database.query('alter table read_marks rename to away')
    try {
      watch.use()
      await awaitProbes(3)
      expect(server.state.phase).toBe('unknown')
    } finally {
      await primary.database.query('alter table away rename to read_marks')
    }
    await awaitMarks()
  })

  it('ends at once when it is closed, and does not begin again', async () => {
    watch = open(1_000_000)
    watch.use()
    await until('it has begun', async () => ((await countMarks()) > 0 ? true : null))
    await watch.close()
    expect(watch.isRunning).toBe(false)
    watch.use()
    expect(watch.isRunning).toBe(false)
  })
})
