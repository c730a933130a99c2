import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { countWaiting } from '../../../test/harness/while-open.ts'
import { until } from '../../../test/process/deadline.ts'
import { createInstance } from '../access/instances.ts'
import { inTransaction } from '../db/database.ts'
import {
  admitConnection,
  admitToQuota,
  DEFAULT_QUOTAS,
  isNearBound,
  listNearBounds,
  listQuotas,
  QUOTA_NAMES,
  readBounds,
  saveQuotaDefaults,
  setQuotas,
} from './quotas.ts'

describe('the warning of a quota', () => {
  it.each([
    [79, 100, false],
    [80, 100, true],
    [100, 100, true],
    [101, 100, true],
    [0, 0, false],
    [1, 0, true],
    [0, 100, false],
    [1_000, null, false],
  ])('for %s of %s is given: %s', (used, bound, isNear) => {
    for (const name of QUOTA_NAMES) expect(isNearBound({ name, used, bound, isDefault: true })).toBe(isNear)
  })
})

describe('an admission to a quota', () => {
  const test = databaseForTests()
  let instanceId: string
  beforeEach(async () => {
    instanceId = randomUUID()
    await createInstance(test.database, { id: instanceId, name: 'Maple Lending' })
    await setQuotas(test.database, instanceId, { companies: 3 })
  })
  afterEach(() => void vi.restoreAllMocks())
  const admit = async (wanted: number) =>
    await inTransaction(test.database, async (db) => await admitToQuota(db, instanceId, 'companies', wanted))
  /** Replaces the last count by one that took ten seconds and was made so long ago. */
  const noteCount = async (used: number, secondsAgo: number) =>
    await test.database.query(
      `insert into instance_uses (instance_id, name, used, counted_at, took_ms)
       values ($1, 'companies', $2, statement_timestamp() - make_interval(secs => $3), 10000)
       on conflict (instance_id, name) do update set (used, counted_at, took_ms) = (excluded.used, excluded.counted_at, excluded.took_ms)`,
      [instanceId, used, secondsAgo],
    )
  const lastCount = async () => (await test.database.query('select used::int from instance_uses where instance_id = $1', [instanceId])).rows
  const addCompanies = async (count: number) =>
    await test.database.query(
      `insert into companies (instance_id, id, name) select $1, gen_random_uuid(), 'Bakery ' || n from generate_series(1, $2::int) n`,
      [instanceId, count],
    )

  it('adds to a slow count, which is used for fifty times as long as it took', async () => {
    await noteCount(1, 450)
    await admit(1)
    await admit(1)
    expect(await lastCount()).toEqual([{ used: 3 }])
  })

  it('is refused by nothing but a fresh count, since what was deleted meanwhile makes room', async () => {
    await noteCount(3, 1)
    await admit(1)
    await addCompanies(3)
    // On a slow machine the admission has noted its own count.
    await noteCount(3, 1)
    await expect(admit(1)).rejects.toMatchObject({ quota: 'companies', bound: 3 })
  })

  it('is never refused where nothing is bounded', async () => {
    await addCompanies(3)
    await setQuotas(test.database, instanceId, { companies: null })
    await expect(admit(5)).resolves.toBeUndefined()
  })

  it('does not trust a count that is older', async () => {
    await addCompanies(3)
    await noteCount(0, 550)
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

  it('goes by a count of a moment ago, not by what is there: counting again takes long', async () => {
    await addCompanies(3)
    await noteCount(1, 1)
    await admit(1)
    await addCompanies(2)
    await admit(0)
    expect(await lastCount()).toEqual([{ used: 2 }])
  })

  it.each([
    [50, [{ used: 3 }]],
    [49, []],
  ])('notes a count that took %i ms, with what it admits: %j', async (tookMs, noted) => {
    await addCompanies(2)
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += tookMs
      return nowMs
    })
    await admit(1)
    expect(await lastCount()).toEqual(noted)
  })

  it('notes a long count in place of the last one', async () => {
    await noteCount(0, 3_600)
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 80
      return nowMs
    })
    await addCompanies(1)
    await admit(1)
    const { rows } = await test.database.query(
      `select used::int, took_ms::int as "tookMs", counted_at > statement_timestamp() - interval '30 minutes' as "isNew"
       from instance_uses where instance_id = $1`,
      [instanceId],
    )
    expect(rows).toEqual([{ used: 2, tookMs: 80, isNew: true }])
  })

  it('waits for none of another quota or instance', async () => {
    const other = randomUUID()
    await createInstance(test.database, { id: other, name: 'Birch Lending' })
    await setQuotas(test.database, other, { companies: 3 })
    await setQuotas(test.database, instanceId, { subscriptions: 3 })
    const locks = await inTransaction(test.database, async (db) => {
      await admitToQuota(db, instanceId, 'companies')
      await admitToQuota(db, instanceId, 'subscriptions')
      await admitToQuota(db, other, 'companies')
      return (await db.query("select distinct classid, objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"))
        .rowCount
    })
    expect(locks).toBe(3)
  })

  it('of a connection is refused when there are as many as may be, or more is stored than may be', async () => {
    const admitOne = async () => await inTransaction(test.database, (db) => admitConnection(db, instanceId))
    await setQuotas(test.database, instanceId, { connections: 1, storedBytes: 0 })
    await admitOne()
    await addCompanies(1)
    await test.database.query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours)
       select instance_id, gen_random_uuid(), id, gen_random_uuid(), 'books', 'Accounting', 'a@b.example', 9, now(), 24
       from companies where instance_id = $1`,
      [instanceId],
    )
    await expect(admitOne()).rejects.toThrow('connections is reached: 1')
    await setQuotas(test.database, instanceId, { connections: 2 })
    await test.database.query('insert into stored_bytes (instance_id, connection_id, bytes) select instance_id, id, 1 from connections')
    await expect(admitOne()).rejects.toMatchObject({ quota: 'storedBytes', bound: 0 })
  })
})

describe('the quotas of an instance', () => {
  const test = databaseForTests()
  let instanceId: string
  beforeAll(async () => {
    instanceId = randomUUID()
    await createInstance(test.database, { id: instanceId, name: 'Maple Lending' })
  })

  const boundsOf = async (...names: string[]) =>
    (await listQuotas(test.database, instanceId))
      .filter(({ name }) => names.includes(name))
      .map(({ name, bound, isDefault }) => [name, bound, isDefault])

  it('are the deployment’s until its operators set others, and again when these are removed', async () => {
    const { database } = test
    await saveQuotaDefaults(database, { companies: 10, replays: 5 })
    expect(await boundsOf('companies', 'replays', 'uploads')).toEqual([
      ['companies', 10, true],
      ['replays', 5, true],
      ['uploads', null, true],
    ])
    await setQuotas(database, instanceId, { companies: 10, replays: 0, requestsPerMinute: 60 })
    await setQuotas(database, instanceId, { companies: 7 })
    expect(await boundsOf('companies', 'replays', 'requestsPerMinute')).toEqual([
      ['companies', 7, false],
      ['replays', 0, false],
      ['requestsPerMinute', 60, false],
    ])
    expect(await readBounds(database, instanceId)).toEqual({
      ...{ companies: 7, replays: 0, requestsPerMinute: 60 },
      ...{ connections: null, subscriptions: null, fileFeeds: null, storedBytes: null, uploads: null },
    })
    await setQuotas(database, instanceId, { companies: null })
    expect(await boundsOf('companies', 'replays')).toEqual([
      ['companies', 10, true],
      ['replays', 0, false],
    ])
    await saveQuotaDefaults(database, { companies: 11 })
    await setQuotas(database, instanceId, { replays: null })
    expect(await boundsOf('companies', 'replays')).toEqual([
      ['companies', 11, true],
      ['replays', null, true],
    ])
  })

  it('are told in their order with what is used', async () => {
    await setQuotas(test.database, instanceId, { companies: 1, requestsPerMinute: 1 })
    await test.database.query("insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), 'Bakery')", [instanceId])
    const quotas = await listQuotas(test.database, instanceId)
    expect(quotas.map(({ name, used }) => [name, used])).toEqual(QUOTA_NAMES.map((name) => [name, name === 'companies' ? 1 : 0]))
    expect([...Object.keys(DEFAULT_QUOTAS), 'requestsPerMinute']).toEqual(QUOTA_NAMES)
    expect(await listNearBounds(test.database, instanceId)).toEqual([{ name: 'companies', used: 1, bound: 1, isDefault: false }])
  })
})
