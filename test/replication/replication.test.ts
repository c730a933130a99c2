import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { TABLES } from '../../src/sync/replication/tables.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { addDatabase, openTargetDatabase, runReplications, show, type TargetDatabase } from './harness.ts'

const api = openForTests(openApiHarness)
let target: TargetDatabase
let bankConnection: string
let id: string
beforeAll(async () => {
  api.syncHarness.deps.readLeaseMs = 0
  const bank = api.syncHarness.serviceId(api.bank)
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>('select id from connections where service_id = $1', [bank])
  bankConnection = rows[0]?.id ?? ''
})
beforeEach(async () => {
  target = await openTargetDatabase()
  id = await addDatabase(api, target)
})
afterEach(async () => {
  await api.syncHarness.deps.database.query('delete from export_destinations')
  await target.drop()
})

const rename = async (name: string, balance = '1234.50') => {
  api.bank.accounts = [{ id: 'chequing', name, balance }]
  await api.syncHarness.sync(bankConnection)
}

/** Everything that is published, by the list of everything of the change feed. */
async function published(): Promise<string[]> {
  const { rows } = await api.syncHarness.deps.database.query<{ key: string }>(
    `select v.id || ' ' || v.orig_id as key from record_versions v join publications p using (instance_id, company_id, service_id)
     where valid_to is null and not deleted order by v.id`,
  )
  return rows.map(({ key }) => key)
}

async function replicated(schema = 'countinghouse'): Promise<string[]> {
  const all = TABLES.map(({ name }) => `select id || ' ' || orig_id as key, id from ${schema}.${name}`).join(' union all ')
  return (await target.database.query<{ key: string }>(`select key from (${all}) x order by id`)).rows.map(({ key }) => key)
}

const bankRows = async () =>
  (await target.database.query('select account_name, actual_balance::text as balance from countinghouse.banking_accounts')).rows

describe('replication to a database', () => {
  it('has every published record once, follows changes and deletions, and says so', async () => {
    expect((await show(api, id)).replication).toMatchObject({ state: 'copying', cursor: null, error: null })
    await runReplications(api.syncHarness.deps)
    expect(await replicated()).toEqual(await published())
    expect((await published()).length).toBe(13)
    const first = (await show(api, id)).replication
    expect(first).toMatchObject({ state: 'current', error: null, cursor: expect.any(String) })
    await rename('Renamed')
    await runReplications(api.syncHarness.deps)
    expect(await bankRows()).toEqual([{ account_name: 'Renamed', balance: '1234.5' }])
    api.bank.accounts = [{ id: 'savings', name: 'Savings', balance: '1.00' }]
    await api.syncHarness.sync(bankConnection)
    await runReplications(api.syncHarness.deps)
    expect(await bankRows()).toEqual([{ account_name: 'Savings', balance: '1' }])
    await rename('Chequing')
    await runReplications(api.syncHarness.deps)
    expect(await replicated()).toEqual(await published())
  })

  it('keeps every digit and sign', async () => {
    const digits = '98765432109876543210987654321098765.12345678901234567890'
    await rename('a "\\u0000" ’ end', digits)
    await runReplications(api.syncHarness.deps)
    expect(await bankRows()).toEqual([
      {
        account_name: 'a "\\u0000" ’ end',
        balance: expect.stringMatching(/^98765432109876543210987654321098765\.1234567890123456789/),
      },
    ])
    await rename('Chequing')
  })

  it.each(['before-replicated-commit', 'after-replicated-commit'])('killed %s, goes on and doubles nothing', async (point) => {
    let times = 0
    const crashPoint = async (reached: string) => {
      times += 1
      if (reached === point && times > 3) throw new Error('killed')
    }
    for (let kills = 0; kills < 12; kills += 1) {
      times = 0
      const isOver = await runReplications(api.syncHarness.deps, { batchRecords: 2, crashPoint }).then(
        () => true,
        () => false,
      )
      if (isOver) break
    }
    await runReplications(api.syncHarness.deps, { batchRecords: 2 })
    expect(await replicated()).toEqual(await published())
    const { rows } = await target.database.query('select pass from countinghouse.countinghouse_state')
    expect(rows).toEqual([{ pass: 1 }])
  })

  it('goes on after a connection that broke in the middle, with half of nothing, and says what happened', async () => {
    target.breakAfter(25_000)
    await runReplications(api.syncHarness.deps, { batchRecords: 3 })
    target.breakAfter(null)
    expect((await show(api, id)).replication).toMatchObject({
      state: 'failing',
      error: 'The connection to the database broke off.',
      failingSince: expect.any(String),
    })
    expect((await replicated()).length % 3).toBe(0)
    await runReplications(api.syncHarness.deps, { batchRecords: 3 })
    expect(await replicated()).toEqual(await published())
    expect((await show(api, id)).replication).toMatchObject({ state: 'current', error: null, failingSince: null })
  })

  it('begins again on request and removes what is not published, without ever being empty', async () => {
    await runReplications(api.syncHarness.deps)
    await target.database.query(
      `insert into countinghouse.banking_accounts select (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid()))).* from countinghouse.banking_accounts b`,
    )
    await target.database.query(`update countinghouse.accounting_accounts set name = 'spoilt'`)
    await runReplications(api.syncHarness.deps)
    expect((await replicated()).length).toBe(14)
    expect((await api.call('POST', `/export-destinations/${id}/replicate`, { body: { cursor: null } })).json()).toMatchObject({
      replication: { state: 'copying' },
    })
    const seen: number[] = []
    const crashPoint = async () => {
      seen.push((await replicated()).length)
    }
    await runReplications(api.syncHarness.deps, { batchRecords: 2, crashPoint })
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(13)
    expect(await replicated()).toEqual(await published())
    expect((await target.database.query(`select from countinghouse.accounting_accounts where name = 'spoilt'`)).rowCount).toBe(0)
  })

  it('goes back to a cursor, and refuses one that is none, or for a part of the feed', async () => {
    await runReplications(api.syncHarness.deps)
    const { cursor } = (await show(api, id)).replication
    await rename('Later')
    await runReplications(api.syncHarness.deps)
    await target.database.query(`update countinghouse.banking_accounts set account_name = 'spoilt'`)
    const replicateFrom = async (from: unknown) =>
      await api.call('POST', `/export-destinations/${id}/replicate`, { body: { cursor: from } })
    expect((await replicateFrom(cursor)).statusCode).toBe(202)
    await runReplications(api.syncHarness.deps)
    expect(await bankRows()).toEqual([{ account_name: 'Later', balance: '1234.5' }])
    expect((await replicateFrom('x')).statusCode).toBe(400)
    const partial = (await api.call('GET', '/normalized-data/changes?entity=Accounts')).json() as unknown as { cursor: string }
    expect((await replicateFrom(partial.cursor)).statusCode).toBe(400)
    await rename('Chequing')
  })

  it('begins again by itself when the database was restored, or a table is gone', async () => {
    await runReplications(api.syncHarness.deps)
    await target.database.query('create table saved as select * from countinghouse.countinghouse_state')
    await rename('Second')
    await runReplications(api.syncHarness.deps)
    await target.database.query('update countinghouse.countinghouse_state s set token = saved.token from saved')
    await target.database.query('delete from countinghouse.accounting_accounts')
    await runReplications(api.syncHarness.deps)
    expect(await replicated()).toEqual(await published())
    await target.database.query('drop table countinghouse.accounting_accounts')
    await runReplications(api.syncHarness.deps)
    expect(await replicated()).toEqual(await published())
    await target.database.query('drop schema countinghouse cascade')
    await runReplications(api.syncHarness.deps)
    expect(await replicated()).toEqual(await published())
    await rename('Chequing')
  })

  it('adds the columns of later versions, and keeps those that the customer added', async () => {
    await runReplications(api.syncHarness.deps)
    await target.database.query(`alter table countinghouse.banking_accounts drop column account_name, add column own text default 'mine'`)
    await rename('Shown')
    await runReplications(api.syncHarness.deps)
    expect((await target.database.query('select account_name, own from countinghouse.banking_accounts')).rows).toEqual([
      { account_name: 'Shown', own: 'mine' },
    ])
    await rename('Chequing')
  })
})

describe('erasure', () => {
  it('reaches the rows of data that is disconnected', async () => {
    await runReplications(api.syncHarness.deps)
    const { instanceId, companyId } = api.syncHarness
    await disconnect(api.syncHarness.deps, { instanceId, companyId, serviceId: api.syncHarness.serviceId(api.bank) })
    await runReplications(api.syncHarness.deps)
    expect(await bankRows()).toEqual([])
    expect((await replicated()).length).toBe(12)
    bankConnection = await api.syncHarness.connect(api.bank)
    await api.syncHarness.sync(bankConnection, { reason: 'first' })
    await runReplications(api.syncHarness.deps)
    expect(await replicated()).toEqual(await published())
  })
})
