import { createServer } from 'node:net'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Activity } from '../../src/jobs/activity.ts'
import { startWakeup, type Wakeup, type WakeupSource } from '../../src/jobs/wakeup.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'

const NEVER = 3_600_000
const REST_MS = 60_001

const db = databaseForTests()
const toClose: (() => Promise<unknown>)[] = []
/** What happened, oldest first. */
let seen: string[]
let wakes: number
let nowMs: number
let activity: Activity

beforeEach(() => {
  seen = []
  wakes = 0
  nowMs = 0
  activity = new Activity(() => nowMs)
})
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close()
  vi.useRealTimers()
  // PostgreSQL lists a session that was closed for a moment, in which the next test would take it for its own.
  for (const channel of ['jobs', 'events']) await listening(0, channel)
})

function opened(directUrl?: string): Database {
  const database = openDatabase(db.url, { directUrl })
  toClose.push(() => database.end())
  return database
}

function start(database: Database, source: Partial<WakeupSource> = {}): Wakeup {
  const session = {
    begun: async (client: PoolClient) => void seen.push(`begun, listening to ${(await channelsOf(client)).join() || 'nothing'}`),
    ended: () => void seen.push('ended'),
  }
  const wakeup = startWakeup(
    database,
    { channel: 'jobs', pollMs: NEVER, activity, session, ...source },
    () => {
      wakes += 1
    },
    (error) => seen.push(`error: ${error instanceof Error ? error.message : error}`),
  )
  toClose.push(() => wakeup.stop())
  return wakeup
}

async function channelsOf(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ channel: string }>('select pg_listening_channels() as channel')
  return rows.map(({ channel }) => channel)
}

/** Sessions that listen, once there are so many. */
async function listening(count = 1, channel = 'jobs'): Promise<number[]> {
  return await until(`${count} that listen`, async () => {
    const { rows } = await db.database.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and query = 'listen ' || $1 and state = 'idle'`,
      [channel],
    )
    return rows.length === count ? rows.map(({ pid }) => pid) : null
  })
}

/** Until the process may rest: its session listens, as `activity` knows. */
const registered = async () => {
  nowMs += REST_MS
  return await until('the rest', () => activity.isResting() || null)
}

async function notify(channel: string): Promise<void> {
  await db.database.query('select pg_notify($1, $2)', [channel, ''])
}

describe('a wake-up', () => {
  it.each(['jobs', 'events'] as const)(
    'comes at the start, and with each notification about %s, which is a sign of work',
    async (channel) => {
      start(opened(), { channel })
      expect(wakes).toBe(1)
      await listening(1, channel)
      await registered()
      await notify(channel === 'jobs' ? 'events' : 'jobs')
      await notify(channel)
      await until('the notification', () => wakes > 1 || null)
      expect([wakes, activity.isResting(), seen]).toEqual([2, false, ['begun, listening to nothing']])
    },
  )

  it('comes at each poll, and every ten seconds while the process rests', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    vi.advanceTimersByTime(10_000 - (performance.now() % 10_000))
    start(opened(), { pollMs: 1_000 })
    await registered()
    vi.advanceTimersByTime(1_000)
    expect(wakes).toBe(2)
    vi.advanceTimersByTime(8_999)
    expect(wakes).toBe(2)
    vi.advanceTimersByTime(1)
    expect(wakes).toBe(3)
  })

  it('of polls that are longer than a rest is no earlier while the process rests', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    vi.advanceTimersByTime(60_000 - (performance.now() % 60_000))
    start(opened(), { pollMs: 20_000 })
    await registered()
    vi.advanceTimersByTime(59_999)
    expect(wakes).toBe(3)
  })

  it('is heard by a session, where statements go through a pooler', async () => {
    const database = opened(db.url)
    start(database)
    await listening()
    expect([database.totalCount, database.sessions?.totalCount]).toEqual([0, 1])
  })
})

describe('a session that breaks', () => {
  it('is told of, ends a rest, and is opened again at the next poll', async () => {
    const database = opened()
    start(database, { pollMs: 20 })
    const [pid] = await listening()
    await registered()
    await db.database.query('select pg_terminate_backend($1)', [pid])
    await until('the next session', () => seen.filter((text) => text.startsWith('begun')).length === 2 || null)
    expect(seen).toEqual([
      'begun, listening to nothing',
      'ended',
      'error: terminating connection due to administrator command',
      'begun, listening to nothing',
    ])
    expect(activity.isResting(), 'until it listens again').toBe(false)
    await listening()
    await registered()
    expect([database.totalCount, database.idleCount]).toEqual([1, 0])
  })

  it('is opened again also where nobody is told of sessions', async () => {
    start(opened(), { pollMs: 20, session: undefined })
    const [pid] = await listening()
    await db.database.query('select pg_terminate_backend($1)', [pid])
    await until('the error', () => seen.length > 0 || null)
    await until('another session', async () => ((await listening())[0] === pid ? null : true))
    expect(seen).toEqual(['error: terminating connection due to administrator command'])
  })

  it('while it begins to listen has ended, and is no reason to rest', async () => {
    const begun = async (client: PoolClient) => {
      // The error arrives together with the last answer.
      const query: (text: string) => Promise<unknown> = client.query.bind(client)
      Object.assign(client, {
        query: async (text: string) => {
          const answer = await query(text)
          client.emit('error', new Error('reset by the peer'))
          return answer
        },
      })
    }
    const database = opened()
    start(database, { session: { begun, ended: () => void seen.push('ended') } })
    await until('the end', () => seen.length >= 3 || null)
    nowMs += REST_MS
    expect([seen, activity.isResting(), database.totalCount]).toEqual([['ended', 'error: reset by the peer', 'ended'], false, 0])
  })

  it('that cannot listen is closed, and another is opened at the next poll', async () => {
    const begun = vi.fn().mockRejectedValueOnce(new Error('canceling statement due to lock timeout'))
    const database = opened()
    start(database, { pollMs: 20, session: { begun, ended: () => void seen.push('ended') } })
    await listening()
    expect([seen, database.totalCount]).toEqual([['ended', 'error: canceling statement due to lock timeout'], 1])
    expect(begun).toHaveBeenCalledTimes(2)
  })

  it('cannot be opened: the error is told at each poll, until it is stopped', async () => {
    const server = createServer((socket) => void socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    const database = openDatabase(`postgres://nobody@127.0.0.1:${port}/nothing`)
    toClose.push(
      () => database.end(),
      async () => void server.close(),
    )
    const wakeup = start(database, { pollMs: 20 })
    await until('three errors', () => seen.length >= 3 || null)
    await wakeup.stop()
    expect(wakes).toBeGreaterThanOrEqual(3)
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toMatch(/^error: /)
  })
})

describe('a stop', () => {
  it('ends the session, and is a sign of work to whoever rests', async () => {
    const database = opened()
    const wakeup = start(database)
    await listening()
    await registered()
    await wakeup.stop()
    expect([activity.isResting(), database.totalCount, wakes]).toEqual([false, 0, 1])
    await listening(0)
  })

  it('of polls leaves no timer', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const before = vi.getTimerCount()
    const wakeup = start(opened(), { pollMs: 1_000 })
    await registered()
    await wakeup.stop()
    vi.advanceTimersByTime(60_000)
    expect([wakes, vi.getTimerCount() - before]).toEqual([1, 0])
  })

  it('while the session is being opened gives it back, and nothing listens', async () => {
    const database = opened()
    await start(database).stop()
    expect([database.totalCount, database.idleCount, seen]).toEqual([1, 1, []])
    await listening(0)
  })
})
