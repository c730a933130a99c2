import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseForTests } from '../../../../test/harness/for-tests.ts'
import { createInstance } from '../../access/instances.ts'
import { readUsage } from '../../access/usage.ts'
import { admitToQuota, listQuotas, setQuotas } from '../../operators/quotas.ts'
import { inTransaction } from '../database.ts'
import { MOST_COUNTED } from '../list-selection.ts'
import { KeptCounts } from './kept-counts.ts'

let nowMs = 0
beforeEach(() => {
  nowMs = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => void vi.restoreAllMocks())

const test = databaseForTests()

describe('a kept count', () => {
  const counter = (rows: number, tookMs = 0) => {
    const counts = new KeptCounts<number>()
    let made = 0
    return async (key = 'a', db = test.database) =>
      await counts.read(db, key, async () => {
        made += 1
        nowMs += tookMs
        return { value: made, rows }
      })
  }

  it('of 10,000 rows is made each time, and of more once a minute', async () => {
    const [small, large] = [counter(MOST_COUNTED), counter(MOST_COUNTED + 1)]
    expect([await small(), await small()]).toEqual([1, 2])
    expect([await large(), await large()]).toEqual([1, 1])
    nowMs += 59_999
    expect(await large()).toBe(1)
    nowMs += 1
    expect(await large()).toBe(2)
  })

  it('that took long is kept for fifty times as long', async () => {
    const slow = counter(MOST_COUNTED + 1, 2_000)
    await slow()
    nowMs += 99_999
    expect(await slow()).toBe(1)
    nowMs += 1
    expect(await slow()).toBe(2)
  })

  it('is that of its key and database', async () => {
    const large = counter(MOST_COUNTED + 1)
    const other = { ...test.database }
    expect([await large('a'), await large('b'), await large('a', Object.assign(Object.create(test.database), other))]).toEqual([1, 2, 3])
    expect([await large('a'), await large('b')]).toEqual([1, 2])
  })
})

describe('in an instance with many companies and connections', () => {
  let instanceId: string
  beforeEach(async () => {
    instanceId = randomUUID()
    await createInstance(test.database, { id: instanceId, name: 'Maple Lending' })
    await test.database.query('alter table companies disable trigger user')
    await test.database.query(
      `with added as (insert into companies (instance_id, id, name) select $1, gen_random_uuid(), 'Bakery ' || n from generate_series(1, $2::int) n returning id)
       insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours)
       select $1, gen_random_uuid(), id, gen_random_uuid(), 'books', 'Accounting', 'a@b.example', 9, now(), 24 from added`,
      [instanceId, MOST_COUNTED + 1],
    )
  })
  const shown = async () => (await listQuotas(test.database, instanceId)).find(({ name }) => name === 'companies')?.used
  const shownConnections = async () => (await readUsage(test.database, instanceId, 1)).connections.map(({ count }) => count)
  const remove = async (table: string) =>
    await test.database.query(
      `delete from ${table} where instance_id = $1 and id = (select id from ${table} where instance_id = $1 limit 1)`,
      [instanceId],
    )

  it('quotas and usage show what was there a minute ago at most', async () => {
    expect([await shown(), await shownConnections()]).toEqual([MOST_COUNTED + 1, [MOST_COUNTED + 1]])
    await remove('connections')
    await test.database.query(
      'delete from companies c where instance_id = $1 and not exists (select from connections k where k.company_id = c.id)',
      [instanceId],
    )
    expect([await shown(), await shownConnections()]).toEqual([MOST_COUNTED + 1, [MOST_COUNTED + 1]])
    nowMs += 60_000
    expect([await shown(), await shownConnections()]).toEqual([MOST_COUNTED, [MOST_COUNTED]])
    // Now each is counted again.
    await remove('connections')
    expect(await shownConnections()).toEqual([MOST_COUNTED - 1])
  })

  it('runs of days that are not closed are shown as of a minute ago at most', async () => {
    const connection = '(select id from connections where instance_id = $1 limit 1)'
    await test.database.query(
      `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, started_at)
       select $1, gen_random_uuid(), c.id, c.company_id, 'schedule', 'published', 1, now()
       from (select * from connections where id = ${connection}) c, generate_series(1, $2::int)`,
      [instanceId, MOST_COUNTED + 1],
    )
    const shownRuns = async () => (await readUsage(test.database, instanceId, 1)).runs.map(({ state, count }) => [state, count])
    expect(await shownRuns()).toEqual([['published', MOST_COUNTED + 1]])
    await remove('sync_runs')
    expect(await shownRuns()).toEqual([['published', MOST_COUNTED + 1]])
    nowMs += 60_000
    expect(await shownRuns()).toEqual([['published', MOST_COUNTED]])
  })

  it('what is shown neither refuses nor admits', async () => {
    const admit = async () => await inTransaction(test.database, (db) => admitToQuota(db, instanceId, 'companies'))
    await setQuotas(test.database, instanceId, { companies: MOST_COUNTED + 1 })
    expect(await shown()).toBe(MOST_COUNTED + 1)
    await expect(admit()).rejects.toMatchObject({ quota: 'companies' })
    await remove('connections')
    await test.database.query(
      'delete from companies c where instance_id = $1 and not exists (select from connections k where k.company_id = c.id)',
      [instanceId],
    )
    await admit()
    await setQuotas(test.database, instanceId, { companies: MOST_COUNTED })
    expect(await shown()).toBe(MOST_COUNTED + 1)
    await expect(admit()).rejects.toMatchObject({ quota: 'companies' })
  })
})
