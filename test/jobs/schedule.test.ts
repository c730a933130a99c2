import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { databaseTime } from '../../src/store/db/database.ts'
import { scheduleUpdate } from '../../src/store/schedules/refresh-schedules.ts'
import { enqueueDue, nextRefresh } from '../../src/sync/runs/schedule.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => await db.drop())

/** Adds connections created and synced at this moment, due again by the schedule. */
async function addConnections(count: number, refreshHours: number): Promise<string[]> {
  const instanceId = await addInstance(db.database)
  const companyId = await addCompany(db.database, instanceId)
  const ids = Array.from({ length: count }, () => randomUUID())
  await db.database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, published_at,
       update_scheduled_at, refresh_hours)
     select $1, id, $2, gen_random_uuid(), 'xero', 'Accounting', '', $3, 'books', clock_timestamp(), clock_timestamp(), $5
     from unnest($4::uuid[]) id`,
    [instanceId, companyId, Status.Structured, ids, refreshHours],
  )
  const now = await databaseTime(db.database)
  for (const id of ids) await scheduleUpdate(db.database, { instanceId, id }, nextRefresh({ id, refreshMinutes: refreshHours * 60 }, now))
  return ids
}

interface Start {
  connectionId: string
  /** Simulated milliseconds since the beginning. */
  atMs: number
  lateMs: number
}

/**
 * Simulates the ticker and 16 slots from one moment to another. Time advances from event to event; a run takes
 * `tookMs` and is then rescheduled as by a publication.
 */
async function simulate(range: { fromMs: number; toMs: number }, refreshHours: number, tookMs: () => number): Promise<Start[]> {
  const beganMs = (await databaseTime(db.database)).getTime()
  const starts: Start[] = []
  let running: { id: string; endsMs: number }[] = []
  for (let nowMs = range.fromMs; nowMs < range.toMs; ) {
    for (const { id, endsMs } of running.filter((run) => run.endsMs <= nowMs)) {
      const next = nextRefresh({ id, refreshMinutes: refreshHours * 60 }, new Date(beganMs + endsMs))
      await db.database.query('update connections set update_scheduled_at = $2 where id = $1', [id, next])
      await db.database.query('delete from jobs where key = $1', [`connection/${id}`])
    }
    running = running.filter((run) => run.endsMs > nowMs)
    await enqueueDue(db.database, beganMs + nowMs - Date.now())
    const { rows } = await db.database.query<{ id: string; dueAt: Date }>(
      `select c.id, c.update_scheduled_at as "dueAt" from jobs j join connections c on j.key = 'connection/' || c.id
       where j.state = 'ready' order by j.run_at limit $1`,
      [16 - running.length],
    )
    for (const { id, dueAt } of rows) {
      starts.push({ connectionId: id, atMs: nowMs, lateMs: beganMs + nowMs - dueAt.getTime() })
      running.push({ id, endsMs: nowMs + tookMs() })
    }
    await db.database.query(`update jobs set state = 'running' where state = 'ready' and key = any($1)`, [
      rows.map(({ id }) => `connection/${id}`),
    ])
    const next = await db.database.query<{ at: Date | null }>(
      `select min(update_scheduled_at) as at from connections c
       where not exists (select 1 from jobs j where j.key = 'connection/' || c.id)`,
    )
    const dueMs = (next.rows[0]?.at?.getTime() ?? Number.POSITIVE_INFINITY) - beganMs
    const wakeMs = Math.min(dueMs, ...running.map(({ endsMs }) => endsMs))
    // The ticker runs once a second.
    nowMs = Math.max(nowMs + 1_000, Math.ceil(wakeMs / 1_000) * 1_000)
  }
  return starts
}

const mostWithin = (starts: Start[], windowMs: number): number => {
  const times = starts.map(({ atMs }) => atMs).toSorted((a, b) => a - b)
  return Math.max(0, ...times.map((at, index) => times.filter((other, later) => later >= index && other < at + windowMs).length))
}

describe('a schedule over a week', () => {
  it('starts at least 99 % of all refreshes within a minute, without drift or bunching', async () => {
    const ids = await addConnections(effort.scheduledConnections, 24)
    let seed = 7
    const random = (): number => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const starts = await simulate({ fromMs: 0, toMs: 7 * DAY }, 24, () => (10 + 290 * random()) * 1_000)
    expect(starts.length).toBeGreaterThan(ids.length * 6)
    expect(starts.filter(({ lateMs }) => lateMs <= MINUTE).length / starts.length).toBeGreaterThanOrEqual(0.99)
    reportFigure('refreshes of a simulated week', starts.length)
    const late = starts.map(({ lateMs }) => lateMs).toSorted((a, b) => a - b)
    reportFigure('  started late by at most, 99 of 100, s', ((late[Math.floor(late.length * 0.99)] ?? 0) / 1_000).toFixed(1))
    // All were created in the same second; a day later they are spread over the day.
    const perHour = starts.length / (7 * 24)
    expect(mostWithin(starts, HOUR)).toBeLessThan(perHour + 6 * Math.sqrt(perHour) + 4)
    for (const id of ids) {
      const times = starts.filter(({ connectionId }) => connectionId === id).map(({ atMs }) => atMs)
      const drift = Math.abs((times.at(-1) ?? 0) - (times[0] ?? 0) - (times.length - 1) * DAY)
      expect(drift, 'the last refresh of the week is at the time of day of the first').toBeLessThan(5 * MINUTE)
    }
  }, 600_000)

  it('catches up with a day without workers over the next hour, not at once', async () => {
    await addConnections(effort.scheduledConnections, 24)
    const starts = await simulate({ fromMs: 2 * DAY, toMs: 2 * DAY + 2 * HOUR }, 24, () => 10_000)
    expect(starts.length).toBeGreaterThanOrEqual(effort.scheduledConnections)
    // Times are random: a quarter of 60 falls within the same five minutes about once in a hundred runs, a third
    // never.
    expect(mostWithin(starts, 5 * MINUTE)).toBeLessThan(effort.scheduledConnections / 3)
    expect(starts.filter(({ lateMs }) => lateMs <= MINUTE).length / starts.length).toBeGreaterThanOrEqual(0.99)
  })
})

const hoursTo = (next: Date | null, now: Date): number => ((next?.getTime() ?? 0) - now.getTime()) / HOUR

describe('the next refresh', () => {
  it('never happens if the schedule says so', () => {
    expect(nextRefresh({ id: randomUUID(), refreshMinutes: 0 }, new Date())).toBeNull()
  })

  it('is 2 to 17 minutes away for an interval of a quarter of an hour', () => {
    const now = new Date('2026-11-20T12:00:00Z')
    const minutes = Array.from({ length: 1_000 }, () => hoursTo(nextRefresh({ id: randomUUID(), refreshMinutes: 15 }, now), now) * 60)
    expect([Math.min(...minutes) >= 1.875, Math.max(...minutes) <= 16.875]).toEqual([true, true])
  })

  it('is between an eighth of an interval and slightly more than one away', () => {
    const now = new Date('2026-11-20T12:00:00Z')
    const hours = Array.from({ length: 1_000 }, () => hoursTo(nextRefresh({ id: randomUUID(), refreshMinutes: 360 }, now), now))
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(0.75)
    expect(Math.max(...hours)).toBeLessThanOrEqual(6.75)
  })

  it('is at the same position in the interval whenever the last one ended', () => {
    const connection = { id: randomUUID(), refreshMinutes: 1_440 }
    const places = Array.from({ length: 48 }, (_, hour) => {
      const now = new Date(Date.parse('2026-03-08T00:00:00Z') + hour * HOUR)
      return (nextRefresh(connection, now)?.getTime() ?? 0) % DAY
    })
    expect(new Set(places).size).toBe(1)
  })
})

it('one turn queues everything that is due', async () => {
  await addConnections(2_500, 24)
  await db.database.query(`update connections set update_scheduled_at = clock_timestamp() - interval '1 second'`)
  expect(await enqueueDue(db.database)).toBe(2_500)
})
