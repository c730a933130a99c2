import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/harness/database.ts'
import { countWaiting } from '../../../test/harness/while-open.ts'
import { until } from '../../../test/process/deadline.ts'
import { createInstance } from '../access/instances.ts'
import { inTransaction } from '../db/database.ts'
import { admitToQuota, isNearBound, QUOTA_NAMES, setQuotas } from './quotas.ts'

describe('the warning of a quota', () => {
  it.each([
    [79, 100, false],
    [80, 100, true],
    [100, 100, true],
    [101, 100, true],
    [0, 0, false],
    [1, 0, true],
    [0, 100, false],
    [null, 100, false],
    [1_000, null, false],
    [null, null, false],
  ])('for %s of %s is given: %s', (used, bound, isNear) => {
    for (const name of QUOTA_NAMES) expect(isNearBound({ name, used, bound, isDefault: true })).toBe(isNear)
  })
})

describe('an admission to a quota', () => {
  let test: TestDatabase
  let instanceId: string
  beforeAll(async () => {
    test = await testDatabase()
  })
  beforeEach(async () => {
    instanceId = randomUUID()
    await createInstance(test.database, { id: instanceId, name: 'Maple Lending' })
    await setQuotas(test.database, instanceId, { companies: 3 })
  })
  afterAll(() => test.drop())

  const admit = async (wanted: number) =>
    await inTransaction(test.database, async (db) => await admitToQuota(db, instanceId, 'companies', wanted))
  /** A count that took a second, so long ago. */
  const noteCount = async (used: number, secondsAgo: number) =>
    await test.database.query(
      `insert into instance_uses (instance_id, name, used, counted_at, took_ms)
       values ($1, 'companies', $2, statement_timestamp() - make_interval(secs => $3), 1000)`,
      [instanceId, used, secondsAgo],
    )
  const lastCount = async () => (await test.database.query('select used::int from instance_uses where instance_id = $1', [instanceId])).rows
  const addCompanies = async (count: number) =>
    await test.database.query(
      `insert into companies (instance_id, id, name) select $1, gen_random_uuid(), 'Bakery ' || n from generate_series(1, $2::int) n`,
      [instanceId, count],
    )

  it('adds to a long count that was made a moment ago, fifty times as long as it took', async () => {
    await noteCount(1, 45)
    await admit(1)
    await admit(1)
    expect(await lastCount()).toEqual([{ used: 3 }])
  })

  it('is refused by nothing but a fresh count, since what was deleted meanwhile makes room', async () => {
    await noteCount(3, 1)
    await admit(1)
    await addCompanies(3)
    await expect(admit(1)).rejects.toMatchObject({ quota: 'companies', bound: 3 })
  })

  it('does not trust a count that is older', async () => {
    await addCompanies(3)
    await noteCount(0, 55)
    await expect(admit(1)).rejects.toMatchObject({ quota: 'companies', bound: 3 })
    await expect(admit(0)).resolves.toBeUndefined()
  })

  it('of nothing changes no count and waits for nobody; one of something waits for the one before it', async () => {
    await noteCount(1, 1)
    const { admitted } = await inTransaction(test.database, async (db) => {
      await admitToQuota(db, instanceId, 'companies', 1)
      await admit(0)
      const waiting = admit(1)
      await until('the second admission waits', async () => (await countWaiting(test.database)) === 1 || null)
      return { admitted: waiting }
    })
    await admitted
    expect(await lastCount()).toEqual([{ used: 3 }])
  })
})
