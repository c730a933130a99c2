import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { deleteJobsDeadFor, listDeadJobs, redriveJobs } from './dead-jobs.ts'

const db = databaseForTests()
const [own, other] = [randomUUID(), randomUUID()]
const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
const HOUR_MS = 3_600_000
const page = { filter: [], orderBy: 'id', descending: false, limit: 10, offset: 0 }

beforeEach(async () => {
  await db.database.query('delete from jobs')
  await db.database.query(
    `insert into jobs (id, instance_id, kind, key, provider, attempts, error, created_at, died_at, state) values
       ($1, $3, 'mail', 'b', 'zoho', 8, null, '2026-11-01T12:00:00Z', '2026-11-02T12:00:00Z', 'dead'),
       ($2, $3, 'sync', 'a', 'xero', 2, 'the source is down', '2026-11-03T12:00:00Z', null, 'dead'),
       (gen_random_uuid(), $4, 'sync', 'c', 'xero', 8, 'of another instance', now(), now(), 'dead'),
       (gen_random_uuid(), $3, 'sync', 'd', 'xero', 0, null, now(), null, 'ready')`,
    [first, second, own, other],
  )
})

const idsOf = async (selection: Partial<Parameters<typeof listDeadJobs>[2]>) =>
  (await listDeadJobs(db.database, own, { ...page, ...selection })).jobs.map(({ id }) => id)

describe('the list of dead jobs', () => {
  test('shows those of one instance, without their payload', async () => {
    const at = (day: number) => new Date(`2026-11-0${day}T12:00:00Z`)
    expect(await listDeadJobs(db.database, own, page)).toEqual({
      jobs: [
        { id: first, kind: 'mail', key: 'b', provider: 'zoho', attempts: 8, error: '', createdAt: at(1), diedAt: at(2) },
        { id: second, kind: 'sync', key: 'a', provider: 'xero', attempts: 2, error: 'the source is down', createdAt: at(3), diedAt: at(3) },
      ],
      total: { total: 2, hasMore: false },
    })
  })

  test.each([
    ['id', second, second],
    ['kind', 'sync', second],
    ['key', 'a', second],
    ['provider', 'xero', second],
    ['attempts', '2', second],
    ['createdAt', '2026-11-03T12:00:00.000000Z', second],
    ['diedAt', '2026-11-02T12:00:00.000000Z', first],
  ])('can be filtered by %s, and ordered by it', async (property, value, found) => {
    expect(await idsOf({ filter: [[{ property, operator: '=', value }]] })).toEqual([found])
    expect(await idsOf({ orderBy: property })).toEqual((await idsOf({ orderBy: property, descending: true })).toReversed())
  })
})

describe('dead jobs', () => {
  test.each([
    [{ id: first }, 1, ['b']],
    [{ kind: 'sync' }, 1, ['a']],
    [{ id: randomUUID() }, 0, []],
  ])('are redriven by %j: %i', async (which, count, keys) => {
    expect(await redriveJobs(db.database, own, which)).toBe(count)
    const { rows } = await db.database.query<{ key: string }>(
      `select key from jobs where state = 'ready' and attempts = 0 and key <> 'd' order by key`,
    )
    expect(rows.map(({ key }) => key)).toEqual(keys)
  })

  test('of a kind are deleted once they are older, but for instances that are being erased', async () => {
    await db.database.query(`update jobs set died_at = clock_timestamp() - interval '2 hours' where state = 'dead'`)
    expect(await deleteJobsDeadFor(db.database, 'sync', 3 * HOUR_MS)).toBe(0)
    expect(await deleteJobsDeadFor(db.database, 'other', HOUR_MS)).toBe(0)
    await db.database.query(
      `insert into instance_erasures (id, erased_id, name, kind, requested_at) values (gen_random_uuid(), $1, 'Lender', 'live', now())`,
      [other],
    )
    expect(await deleteJobsDeadFor(db.database, 'sync', HOUR_MS)).toBe(1)
    const { rows } = await db.database.query<{ key: string }>('select key from jobs order by key')
    expect(rows.map(({ key }) => key)).toEqual(['b', 'c', 'd'])
  })
})
