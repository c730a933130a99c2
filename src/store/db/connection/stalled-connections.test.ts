import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseOfOneServer } from '../../../../test/harness/database.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { until } from '../../../../test/process/deadline.ts'
import { DatabaseProxy } from '../../../../test/store/database-proxy.ts'
import { connectionOf } from './database-url.ts'
import { Servers } from './servers.ts'
import { closeStalledConnections } from './stalled-connections.ts'

const LOOK_MS = 2_500
const SILENT = { name: 'SilentServer', code: 'ETIMEDOUT', message: 'the database server no longer answers' }
const test = openForTests(
  () => databaseOfOneServer({ migrated: false, isDirect: true }),
  ({ drop }) => drop(),
)
let proxy: DatabaseProxy
let pool: pg.Pool
let servers: Servers
let searches = 0
const releases: (() => void)[] = []

beforeEach(async () => {
  proxy = await DatabaseProxy.open(test.url)
  searches = 0
  // Two addresses, so that the primary is searched for once it is forgotten.
  servers = new Servers(proxy.url.replace(proxy.address, `${proxy.address},localhost:1`), async (url) => {
    if (!url.includes(proxy.address)) return null
    searches += 1
    return { server: 'one', cluster: 'a', timeline: 1 }
  })
  pool = new pg.Pool({ ...connectionOf(proxy.url), max: 4, idleTimeoutMillis: 0 })
  pool.on('error', () => undefined)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closeStalledConnections(pool, servers)
  await servers.findPrimary()
})
afterEach(async () => {
  // Before the timers: a spy of theirs, restored by a later test of this process, would bring back a timer that never ends.
  vi.restoreAllMocks()
  vi.useRealTimers()
  for (const release of releases.splice(0)) release()
  proxy.close()
  await pool.end()
})

/** The next looks at the connections. */
const look = async (times = 1) => {
  for (let time = 0; time < times; time += 1) await vi.advanceTimersByTimeAsync(LOOK_MS)
}

/** A statement that waits at the server until `release`. */
async function begin(key: number) {
  const holder = await test.database.connect()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  released.then(() => holder.release(true))
  releases.push(release)
  await holder.query('select pg_advisory_lock($1)', [key])
  const done = pool.query('select pg_advisory_xact_lock($1)', [key]).then(
    () => 'done',
    (error: unknown) => error,
  )
  const waiting = `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`
  await until('the statement waits', async () => ((await test.database.query(waiting, [key])).rowCount === 1 ? true : null))
  return { done, release }
}

const stateOf = async (done: Promise<unknown>) => await Promise.race([done, new Promise((resolve) => setImmediate(resolve, 'waits'))])

describe('a server that no longer answers', () => {
  it('ends the statements that wait for it, after two looks without a byte', async () => {
    const statement = await begin(1)
    proxy.shut()
    proxy.isSilent = true
    // The first look sees the bytes of the login.
    await look(2)
    expect([await stateOf(statement.done), searches]).toEqual(['waits', 1])
    await look()
    expect(await statement.done).toMatchObject(SILENT)
    await servers.findPrimary()
    expect(searches).toBe(2)
  })

  it('is not found out by a statement that has just begun, which another ends too once it has waited', async () => {
    const first = await begin(1)
    proxy.shut()
    await look()
    await proxy.reopen()
    const second = await begin(2)
    proxy.shut()
    await look()
    expect([await stateOf(first.done), await stateOf(second.done)]).toEqual(['waits', 'waits'])
    await look()
    expect(await first.done).toMatchObject(SILENT)
    expect(await second.done).toMatchObject(SILENT)
  })

  it('leaves what has sent something since the last look, and what is at rest', async () => {
    const idle = await pool.connect()
    const statement = await begin(1)
    proxy.shut()
    await look(2)
    const late = idle.query('select 1 as one')
    await late
    await look()
    expect(await statement.done).toMatchObject(SILENT)
    expect((await idle.query('select 2 as two')).rows).toEqual([{ two: 2 }])
    idle.release()
  })
})

describe('a server that answers others', () => {
  it('has long statements wait for as long as they take', async () => {
    const statement = await begin(1)
    await until('it was asked three times', async () => {
      await look()
      return proxy.opened >= 4 ? true : null
    })
    expect([await stateOf(statement.done), searches]).toEqual(['waits', 1])
    statement.release()
    expect(await statement.done).toBe('done')
    await servers.findPrimary()
    expect(searches).toBe(1)
  })

  it('is looked at while connections are in use only', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const countLooks = () => timers.mock.calls.filter(([, delayMs]) => delayMs === LOOK_MS).length
    await pool.query('select 1')
    await pool.query('select 1')
    expect(countLooks()).toBe(1)
    await look()
    expect(countLooks()).toBe(1)
    const statement = await begin(1)
    expect(countLooks()).toBe(2)
    await look()
    expect(countLooks()).toBe(3)
    statement.release()
    await statement.done
    await look()
    expect([countLooks(), proxy.opened]).toEqual([3, 1])
  })
})
