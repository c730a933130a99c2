import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withinInstance } from '../../../src/store/db/instance-scope.ts'
import { writeMark } from '../../../src/store/db/replicas/marks.ts'
import { LOG_START, toPosition } from '../../../src/store/db/replicas/positions.ts'
import { noteChange, RecentChangesBatcher } from '../../../src/store/db/replicas/recent-changes.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'

const test = openForTests(databaseOfOneServer, ({ drop }) => drop())
const instanceId = randomUUID()
/** Work for another instance, which must see and change the same. */
const OTHER = randomUUID()

beforeEach(async () => {
  await test.database.query('truncate recent_changes, recent_changes_epoch, read_marks')
})
afterEach(() => vi.restoreAllMocks())

async function endOfLog(): Promise<bigint> {
  const { rows } = await test.database.query<{ end: string }>('select pg_current_wal_insert_lsn()::text as end')
  return toPosition(rows[0]?.end ?? '')
}

async function listChanges() {
  const { rows } = await test.database.query<{ grantId: string; instanceId: string; position: string; isNew: boolean }>(
    `select grant_id as "grantId", instance_id as "instanceId", position::text, changed_at > now() - interval '1 minute' as "isNew"
     from recent_changes order by grant_id`,
  )
  return rows
}

describe('a change of a session', () => {
  it('is noted at the end of the log, each time anew, whatever the instance of the work around', async () => {
    const grantId = randomUUID()
    const before = await endOfLog()
    await withinInstance(OTHER, () => noteChange(test.database, { grantId, instanceId }))
    const [first] = await listChanges()
    expect(first).toEqual({ grantId, instanceId, position: expect.any(String), isNew: true })
    expect(toPosition(first?.position ?? '')).toBeGreaterThanOrEqual(before)
    await test.database.query(`update recent_changes set changed_at = now() - interval '2 hours'`)
    await noteChange(test.database, { grantId, instanceId })
    const [second, ...others] = await listChanges()
    expect([second?.isNew, others]).toEqual([true, []])
    expect(toPosition(second?.position ?? '')).toBeGreaterThan(toPosition(first?.position ?? ''))
  })

  it('takes ten old ones with it, none that is younger than an hour', async () => {
    await test.database.query(
      `insert into recent_changes select $1, gen_random_uuid(), '0/1', now() - make_interval(mins => 61) from generate_series(1, 12)`,
      [instanceId],
    )
    await test.database.query(`insert into recent_changes values ($1, gen_random_uuid(), '0/2', now() - make_interval(mins => 59))`, [
      instanceId,
    ])
    const left = async () => {
      await withinInstance(OTHER, () => noteChange(test.database, { grantId: randomUUID(), instanceId }))
      return (await listChanges())
        .filter(({ isNew }) => !isNew)
        .map(({ position }) => position)
        .toSorted()
    }
    expect(await left()).toEqual(['0/1', '0/1', '0/2'])
    expect(await left()).toEqual(['0/2'])
  })
})

describe('what the primary knows of recent changes', () => {
  it('is told of each that was asked for, in the order of the callers', async () => {
    const [changed, other, unknown] = [randomUUID(), randomUUID(), randomUUID()]
    for (const grantId of [changed, other]) await noteChange(test.database, { grantId, instanceId })
    const positions = new Map((await listChanges()).map(({ grantId, position }) => [grantId, toPosition(position)]))
    const { epoch } = await writeMark(test.database, { elapsedMs: () => 1, now: () => new Date(2) })
    const before = await endOfLog()
    const changes = new RecentChangesBatcher(test.database)
    const query = vi.spyOn(test.database, 'query')
    const found = await withinInstance(OTHER, () => Promise.all([other, unknown, changed].map((grantId) => changes.load(grantId))))
    expect(query).toHaveBeenCalledOnce()
    expect(found.map((each) => [each.epoch, each.changedUntil])).toEqual([
      [epoch, positions.get(other)],
      [epoch, LOG_START],
      [epoch, positions.get(changed)],
    ])
    for (const { end } of found) expect(end).toBeGreaterThanOrEqual(before)
  })

  it('has no epoch before the first mark, and nothing of a position that the log has not reached', async () => {
    const grantId = randomUUID()
    await test.database.query(`insert into recent_changes values ($1, $2, 'FFFFFFFF/0', now())`, [instanceId, grantId])
    const found = await new RecentChangesBatcher(test.database).load(grantId)
    expect(found).toEqual({ epoch: null, changedUntil: LOG_START, end: expect.any(BigInt) })
  })

  it('is asked for by two queries at a time, the later of which answers all that came meanwhile', async () => {
    const changes = new RecentChangesBatcher(test.database)
    const writer = await test.database.connect()
    const query = vi.spyOn(test.database, 'query')
    const awaitQueries = async (count: number) => await until(`${count} queries`, () => (query.mock.calls.length === count ? true : null))
    const load = () => changes.load(randomUUID())
    try {
      await writer.query('begin; lock table recent_changes in access exclusive mode')
      const first = [load(), load()]
      await awaitQueries(1)
      const second = load()
      await awaitQueries(2)
      const later = [load(), load(), load()]
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      expect(query).toHaveBeenCalledTimes(2)
      await writer.query('commit')
      await Promise.all([...first, second, ...later])
      expect(query).toHaveBeenCalledTimes(3)
    } finally {
      writer.release(true)
    }
    await load()
    expect(query).toHaveBeenCalledTimes(4)
  })

  it('is an error for all who asked when the primary cannot be asked, and asked for again by the next', async () => {
    const changes = new RecentChangesBatcher(test.database)
    await test.database.query('alter table recent_changes rename to away')
    try {
      for (let time = 0; time < 3; time += 1) {
        const asked = await Promise.allSettled([changes.load(randomUUID()), changes.load(randomUUID())])
        expect(asked.map((each) => each.status === 'rejected' && String(each.reason))).toEqual(
          Array(2).fill(expect.stringContaining('recent_changes')),
        )
      }
    } finally {
      await test.database.query('alter table away rename to recent_changes')
    }
    expect(await changes.load(randomUUID())).toMatchObject({ changedUntil: LOG_START })
  })
})

describe('a mark', () => {
  const CLOCKS = { elapsedMs: () => 12.5, now: () => new Date('2026-11-20T12:00:00Z') }
  const listMarks = async () =>
    (
      await test.database.query<{ id: string; slot: number; position: string; isNew: boolean }>(
        `select id, slot, position::text, written_at > now() - interval '1 minute' as "isNew" from read_marks`,
      )
    ).rows

  it('is a row at the end of the log, with the times before it was asked for', async () => {
    const before = await endOfLog()
    const mark = await withinInstance(OTHER, () => writeMark(test.database, CLOCKS))
    const [row, ...others] = await listMarks()
    expect([{ ...row, position: toPosition(row?.position ?? '') }, others]).toEqual([
      { id: mark.id, slot: mark.slot, position: mark.position, isNew: true },
      [],
    ])
    const epochs = await test.database.query<{ id: string }>('select id from recent_changes_epoch')
    expect(mark).toEqual({
      ...{ id: expect.any(String), slot: expect.any(Number), position: expect.any(BigInt), epoch: epochs.rows[0]?.id },
      ...{ askedAtMs: 12.5, askedAtTime: Date.parse('2026-11-20T12:00:00Z') },
    })
    expect(mark.position).toBeGreaterThanOrEqual(before)
    expect((await writeMark(test.database, CLOCKS)).epoch, 'the epoch stays').toBe(mark.epoch)
    await test.database.query('truncate recent_changes_epoch')
    expect((await writeMark(test.database, CLOCKS)).epoch, 'a crash ends it').not.toBe(mark.epoch)
  })

  it('replaces the one that had its slot', async () => {
    await test.database.query(
      `insert into read_marks select slot, gen_random_uuid(), '0/0', '2000-01-01' from generate_series(0, 4095) slot`,
    )
    const mark = await writeMark(test.database, CLOCKS)
    const fresh = (await listMarks()).filter(({ isNew }) => isNew)
    expect(fresh.map(({ position, ...row }) => ({ ...row, position: toPosition(position) }))).toEqual([
      { id: mark.id, slot: mark.slot, position: mark.position, isNew: true },
    ])
  })
})
