import { describe, expect, it } from 'vitest'
import { toOwnedName } from '../../src/connect/routes/owner-views.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { ownedConnection, sampleVisitor } from '../connect/views/sample-visit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const harness = openForTests(openOwnerPageHarness)
const database = () => harness.connectHarness.deps.database
const set = async (connectionId: string, change: string) =>
  await database().query(`update connections set ${change} where id = $1`, [connectionId])
const stateIn = (markup: string) => /class="state ([^"]*)"/.exec(markup)?.[1]
const countOf = (text: string, words: string) => text.split(words).length - 1

describe('the owner’s page says of a connection', () => {
  it('in what state it is', async () => {
    const { owner, connectionId } = await harness.connected()
    const cases: readonly (readonly [change: string, state: string])[] = [
      ['status = 6', 'waiting'],
      ['status = 9', 'waiting'],
      ['status = 25', 'waiting'],
      ['status = 2', 'reading'],
      ['status = 12', 'reading'],
      ['status = 11', 'retrying'],
      ['status = 23', 'retrying'],
      ['status = 8', 'renewal'],
      ['status = 19', 'ready'],
      [`status = 27, operator_suspended_at = now()`, 'suspended'],
      [`status = 27, owner_paused_at = now()`, 'both'],
      [`status = 27, operator_suspended_at = null`, 'paused'],
    ]
    const seen: [string, string | undefined][] = []
    for (const [change] of cases) {
      await set(connectionId, change)
      seen.push([change, stateIn((await owner.get('/connect/yours')).markup)])
    }
    expect(seen).toEqual(cases)
  })

  it('whether it is connected, once, and offers a renewal only where the access has ended', async () => {
    const { owner, connectionId } = await harness.connected()
    const active = await owner.get('/connect/yours')
    expect([active.text.includes('Connected'), active.text.includes('No longer connected')]).toEqual([true, false])
    expect([countOf(active.markup, '<li><div class="owned-head">'), active.markup.includes('/connect/yours/renew')]).toEqual([1, false])
    await set(connectionId, 'status = 8')
    expect((await owner.get('/connect/yours')).markup).toContain(`/connect/yours/renew?connection=${connectionId}`)
    await set(connectionId, 'status = 26, updated_at = now()')
    const ended = await owner.get('/connect/yours')
    expect(ended.text).toContain('No longer connected')
    expect([countOf(ended.markup, '<li><div class="owned-head">'), stateIn(ended.markup)]).toEqual([1, undefined])
  })

  it('that it has ended for thirty days, and longer where there is a receipt of it', async () => {
    const { owner, connectionId, companyId } = await harness.connected()
    await harness.upload(owner, companyId)
    await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
    await database().query(`update connections set updated_at = now() - interval '31 days' where id = $1`, [connectionId])
    const isShown = async () => (await owner.get('/connect/yours')).text.includes('No longer connected')
    expect(await isShown()).toBe(true)
    await database().query('delete from receipts where connection_id = $1', [connectionId])
    expect(await isShown()).toBe(false)
    await database().query(`update connections set updated_at = now() - interval '29 days' where id = $1`, [connectionId])
    expect(await isShown()).toBe(true)
  })

  it('which accounts, three at most, each with the end of its number once', async () => {
    const { owner } = await harness.connected()
    const [, names = ''] = /<p class="small">([^<]*••••[^<]*)<\/p>/.exec((await owner.get('/connect/yours')).markup) ?? []
    expect([countOf(names, '••••'), names.split(', ').length]).toEqual([3, 3])
  })

  it('that a new address was made only right after it was', async () => {
    const { owner } = await harness.connected()
    const isSaid = async (query: string) => (await owner.get(`/connect/yours${query}`)).text.includes('This is your new address')
    expect([await isSaid(''), await isSaid('?address=old'), await isSaid('?address=new')]).toEqual([false, false, true])
  })
})

it('an action of the owner that fails is not passed over: the page says so, and nothing has changed', async () => {
  const { owner, connectionId } = await harness.connected()
  const form = await owner.get(`/connect/yours/pause?connection=${connectionId}`)
  await database().query('alter table connections add constraint refused check (status <> 27) not valid')
  try {
    expect((await owner.submit(form)).status).toBe(500)
  } finally {
    await database().query('alter table connections drop constraint refused')
  }
  const { rows } = await database().query('select status, owner_paused_at from connections where id = $1', [connectionId])
  expect(rows).toEqual([{ status: 19, owner_paused_at: null }])
})

it('files of exactly a full batch of records, and of none, are whole and have no empty line', async () => {
  const { owner, connectionId } = await harness.connected()
  const file = async (name: string) => await (await owner.ask(`/connect/yours/files/${name}?connection=${connectionId}`)).text()
  await database().query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id,
       raw_index, mapping_version)
     select instance_id, company_id, service_id, entity, gen_random_uuid(), valid_from, 'more-' || n, connection_id, doc, content_hash, sort_key, run_id,
       raw_index, mapping_version
     from (select * from record_versions where connection_id = $1 and entity = 'Transactions' limit 1) one, generate_series(1, 493) n`,
    [connectionId],
  )
  expect(JSON.parse(await file('data.json')).transactions).toHaveLength(500)
  expect((await file('transactions.csv')).split('\r\n').filter((line) => line === '')).toHaveLength(1)
  await database().query(`delete from record_versions where connection_id = $1 and entity = 'Transactions'`, [connectionId])
  expect([JSON.parse(await file('data.json')).transactions, await file('transactions.csv')]).toEqual([[], ''])
})

it('a connection is named by its service, one that is no longer offered by nothing', async () => {
  const { database: db, sources } = harness.connectHarness.deps
  const { instanceId } = harness.connectHarness
  const nameOf = async (serviceId: string) =>
    await toOwnedName(db, sources, sampleVisitor(null).locale, ownedConnection({ instanceId, serviceId }))
  expect([await nameOf(toServiceId('quickbooks')), await nameOf(toServiceId('bank-files')), await nameOf(crypto.randomUUID())]).toEqual([
    { name: 'QuickBooks Online', isFiles: false },
    { name: 'Bank statements', isFiles: true },
    { name: '', isFiles: false },
  ])
})
