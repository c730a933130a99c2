import { beforeEach, describe, expect, it } from 'vitest'
import { exchangeCallCounts } from '../../../src/store/sources/source-breakers.ts'
import {
  exchangePermits,
  listLimitUse,
  type PermitExchange,
  pauseSource,
  pruneSourceLimits,
  scanLimitUse,
} from '../../../src/store/sources/source-limits.ts'
import { forgetFailures } from '../../../src/store/sources/source-recovery.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { listColumn, storeConnection, storeTenants } from '../stored.ts'

const test = databaseForTests()
beforeEach(async () => {
  await test.database.query('truncate source_limits, source_pauses, source_breakers')
})

const at = (ms: number) => new Date(AT.getTime() + ms)
const perMinute = { scope: '', name: '10 a minute', calls: 10, perMs: 60_000 }

function exchange(more: Partial<PermitExchange>, when: Date | null = AT) {
  const asked = { connectorKey: 'books', limits: [perMinute], settled: [], wanted: 4, leaseMs: 10_000, ...more }
  return exchangePermits(test.database, asked, when)
}

describe('permits', () => {
  it('are granted until a limit is used up, and say which one it was', async () => {
    const granted = (count: number) => ({ granted: count, waitMs: 0, untilMs: AT.getTime() + 10_000, blockedBy: null, isHeld: false })
    expect([await exchange({}), await exchange({ wanted: 10 })]).toEqual([granted(4), granted(6)])
    const refused = await exchange({})
    expect(refused).toEqual({ granted: 0, untilMs: 0, waitMs: expect.any(Number), blockedBy: '10 a minute', isHeld: true })
    expect(refused.waitMs).toBeGreaterThan(60_000)
    expect(await exchange({ connectorKey: 'others' })).toEqual(granted(4))
  })

  it('that were not used are free again; calls count from their end', async () => {
    const { untilMs } = await exchange({ wanted: 10 })
    const settled = [{ untilMs, granted: 10, agesMs: [0.9, 500.7] }]
    expect(await exchange({ settled, wanted: 0 }, at(1_000))).toEqual({ granted: 0, untilMs: 0, waitMs: 0, blockedBy: null, isHeld: false })
    expect(await exchange({ wanted: 10 }, at(1_000))).toMatchObject({ granted: 8 })
  })

  it('wait while the source has asked to, for the longest pause', async () => {
    const { database } = test
    await pauseSource(database, 'books', '', 60_000, AT)
    await pauseSource(database, 'books', '', 30_000, AT)
    await pauseSource(database, 'books', 'mine', 90_000, AT)
    expect(await exchange({})).toEqual({ granted: 0, waitMs: 60_000, untilMs: 0, blockedBy: 'pause', isHeld: false })
    expect(await exchange({ limits: [{ ...perMinute, scope: 'mine' }] })).toMatchObject({ waitMs: 90_000, blockedBy: 'pause' })
    expect(await exchange({}, at(60_001))).toMatchObject({ granted: 4 })
    expect(await exchangeCallCounts(database, [], [{ connectorKey: 'books', scope: 'mine' }], AT)).toEqual([
      { connectorKey: 'books', part: 'mine', state: 'paused', waitMs: 90_000 },
    ])
    await pauseSource(database, 'later', '', 3_600_000, null)
    expect((await exchange({ connectorKey: 'later' }, null)).waitMs).toBeGreaterThan(3_000_000)
  })
})

describe('the use of limits', () => {
  it('is the fewest calls left over all apps and books of a source', async () => {
    const { database } = test
    for (const [connectorKey, scope, wanted] of [
      ['books', 'a', 3],
      ['books', 'b', 7],
      ['books#own', 'a', 5],
      ['others', '', 1],
    ] as const)
      await exchange({ connectorKey, limits: [{ ...perMinute, scope }], wanted }, null)
    const use = [
      { connectorKey: 'books', name: '10 a minute', remaining: 3 },
      { connectorKey: 'others', name: '10 a minute', remaining: 9 },
    ]
    expect(await listLimitUse(database)).toEqual(use)
    const scan = scanLimitUse(database)
    const sorted = async () => (await scan()).toSorted((a, b) => (a.connectorKey < b.connectorKey ? -1 : 1))
    expect([await sorted(), await sorted()]).toEqual([use, use])
  })

  it('is scanned over several calls where there are many, and whole in the end', async () => {
    const { database } = test
    await database.query(
      `insert into source_limits (connector_key, scope, name, calls, per_ms, updated_at)
       select 'books', lpad(n::text, 6, '0'), 'l', case when n = 10500 then 3 else 5 end, 60000, now() from generate_series(1, 11000) n`,
    )
    const scan = scanLimitUse(database)
    const use = [{ connectorKey: 'books', name: 'l', remaining: 3 }]
    expect([await scan(), await scan(), await scan()]).toEqual([[], use, use])
    expect(await scan()).toEqual(use)
    await database.query('update source_limits set calls = 8')
    expect([await scan(), await scan()]).toEqual([use, [{ ...use[0], remaining: 8 }]])
  })

  it('is forgotten a day after its window, and expired pauses at once', async () => {
    const { database } = test
    await database.query(
      `insert into source_limits (connector_key, scope, name, calls, per_ms, updated_at)
       select 'books', lpad(n::text, 6, '0'), 'l', 5, case when n = 2 then 7200000 else 60000 end,
         case when n = 3 then now() else now() - interval '25 hours' end from generate_series(1, 2500) n`,
    )
    await pauseSource(database, 'books', 'old', 1_000, minutesAfter(-60))
    await pauseSource(database, 'books', 'new', 3_600_000, null)
    await pruneSourceLimits(database)
    const { rows } = await database.query<{ scope: string }>(
      'select scope from source_limits union all select scope from source_pauses order by 1',
    )
    expect(rows.map(({ scope }) => scope)).toEqual(['000002', '000003', 'new'])
  })
})

it('after an outage an app has no pause, and its connections may refresh at once', async () => {
  const { database } = test
  const tenants = await storeTenants(database)
  const failed = { refresh_not_before: `now() + interval '1 hour'`, refresh_failures: '3' }
  for (const connectorKey of ['books', 'others']) await storeConnection(database, tenants, { connectorKey }, failed)
  for (const client of ['books', 'books/2', 'books2']) await pauseSource(database, client, '', 3_600_000, null)
  await exchange({ connectorKey: 'books/2' }, null)
  await forgetFailures(database, { client: 'books', connectorKey: 'books', instanceId: tenants.otherId })
  expect(await listColumn(database, 'connections', 'refresh_failures', tenants.instanceId)).toEqual([3, 3])
  await forgetFailures(database, { client: 'books', connectorKey: 'books', instanceId: tenants.instanceId })
  const { rows } = await database.query(
    `select connector_key as key, refresh_failures as failures, refresh_not_before is null as "isFree" from connections where instance_id = $1 order by 1`,
    [tenants.instanceId],
  )
  expect(rows).toEqual([
    { key: 'books', failures: 0, isFree: true },
    { key: 'others', failures: 3, isFree: false },
  ])
  expect((await database.query('select connector_key as key from source_pauses')).rows).toEqual([{ key: 'books2' }])
  expect((await database.query('select from source_limits')).rowCount).toBe(0)
})
