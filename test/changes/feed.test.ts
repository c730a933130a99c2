import { createHash, randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteOldPlaces } from '../../src/store/changes/change-feed.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

interface Change {
  operation: 'upsert' | 'delete' | 'clear'
  entity: string | null
  id: string | null
  companyId: string
  serviceId: string
  sessionId: string
  explanation: string | null
  record: { origId: string; accountName?: string } | null
}

interface Feed {
  data: Change[]
  cursor: string
  hasMore: boolean
}

const api = openForTests(openApiHarness)
let bankConnection: string
beforeAll(async () => {
  api.syncHarness.deps.readLeaseMs = 0
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>('select id from connections where service_id = $1', [bank()])
  bankConnection = rows[0]?.id ?? ''
})
beforeEach(() => {
  api.bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
})
afterEach(async () => {
  api.bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
  await api.syncHarness.sync(bankConnection)
})

const bank = () => api.syncHarness.serviceId(api.bank)
const books = () => api.syncHarness.serviceId(api.books)

async function ask(query: Record<string, string>): Promise<{ status: number; feed: Feed; problem: string }> {
  const answer = await api.call('GET', `/normalized-data/changes?${new URLSearchParams(query)}`)
  const body = answer.json() as unknown as Feed & { detail: string; errors?: { message: string }[] }
  return { status: answer.statusCode, feed: body, problem: body.errors?.[0]?.message ?? body.detail }
}

/** All items from a cursor on, and the cursor after them. */
async function readOn(cursor: string | null, query: Record<string, string> = {}): Promise<Feed> {
  const data: Change[] = []
  let next = cursor
  for (;;) {
    const { status, feed, problem } = await ask({ ...query, ...(next === null ? {} : { cursor: next }) })
    if (status !== 200) throw new Error(`${status} ${problem}`)
    data.push(...feed.data)
    next = feed.cursor
    if (!feed.hasMore) return { ...feed, data }
  }
}

const short = ({ operation, record }: Change) => `${operation} ${record?.origId ?? ''} ${record?.accountName ?? ''}`.trim()

describe('the change feed', () => {
  it('begins with everything that is published, in pages of any size, as the lists show it', async () => {
    const whole = await readOn(null)
    expect(whole.data).toHaveLength(13)
    for (const limit of ['1', '3', '13', '500']) expect((await readOn(null, { limit })).data).toEqual(whole.data)
    const list = await api.call('GET', `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${bank()}`)
    const [listed] = (list.json() as unknown as { data: unknown[] }).data
    expect(whole.data.filter(({ serviceId }) => serviceId === bank())).toEqual([
      expect.objectContaining({
        ...{ operation: 'upsert', entity: 'Accounts', companyId: api.syncHarness.companyId, sessionId: bankConnection },
        record: listed,
      }),
    ])
  })

  it('gives places before and after the list of everything, and none between its pages', async () => {
    const { database } = api.syncHarness.deps
    const count = async () => (await database.query<{ n: number }>('select count(*)::int as n from placed_changes')).rows[0]?.n
    const first = await ask({ limit: '6' })
    const before = await count()
    api.bank.accounts = [{ id: 'chequing', name: 'Meanwhile', balance: '1234.50' }]
    await api.syncHarness.sync(bankConnection)
    const second = await ask({ limit: '6', cursor: first.feed.cursor })
    const third = await ask({ limit: '6', cursor: second.feed.cursor })
    expect([third.feed.hasMore, await count()]).toEqual([true, before])
    expect((await readOn(third.feed.cursor)).data.map(short)).toEqual(['upsert chequing Meanwhile'])
  })

  it('goes on with what changed, with tombstones and restored records, each with its explanation', async () => {
    const { cursor } = await readOn(null)
    api.bank.accounts = [
      { id: 'chequing', name: 'Everyday', balance: '1234.50' },
      { id: 'savings', name: 'Savings', balance: '1.00' },
    ]
    await api.syncHarness.sync(bankConnection)
    const first = await readOn(cursor)
    expect(first.data.map(short).sort()).toEqual(['upsert chequing Everyday', 'upsert savings Savings'])
    api.bank.accounts = [{ id: 'chequing', name: 'Everyday', balance: '1234.50' }]
    await api.syncHarness.sync(bankConnection)
    const second = await readOn(first.cursor)
    const savings = first.data.find(({ record }) => record?.origId === 'savings')
    expect(second.data).toMatchObject([{ operation: 'delete', id: savings?.id, record: null }])
    for (const { explanation } of [...first.data, ...second.data]) {
      expect((await api.call('GET', (explanation ?? '').replace('/admin/api/v1', ''))).statusCode).toBe(200)
    }
    api.bank.accounts.push({ id: 'savings', name: 'Savings', balance: '1.00' })
    await api.syncHarness.sync(bankConnection)
    expect((await readOn(second.cursor)).data).toMatchObject([{ operation: 'upsert', id: savings?.id, record: { origId: 'savings' } }])
    // Whoever is behind gets the last version of each record, once.
    expect((await readOn(cursor, { limit: '1' })).data.map(short).sort()).toEqual(['upsert chequing Everyday', 'upsert savings Savings'])
  })

  it('has nothing new after a sync without changes', async () => {
    const { cursor } = await readOn(null)
    const { database } = api.syncHarness.deps
    const counts = `select (select count(*) from record_versions) as versions, (select count(*) from events) as events,
      (select count(*) from placed_changes) as places`
    const before = await database.query(counts)
    await api.syncHarness.sync(bankConnection)
    await api.syncHarness.sync(api.connectionId)
    expect(await readOn(cursor)).toEqual({ data: [], cursor, hasMore: false })
    expect((await database.query(counts)).rows).toEqual(before.rows)
  })

  it('can be restricted to a company and to an entity', async () => {
    const { companyId } = api.syncHarness
    expect((await readOn(null, { companyId })).data).toHaveLength(13)
    expect((await readOn(null, { companyId, entity: 'Transactions' })).data).toEqual([])
    const { cursor } = await readOn(null, { entity: 'Transactions' })
    api.bank.accounts = [{ id: 'chequing', name: 'Renamed', balance: '1234.50' }]
    await api.syncHarness.sync(bankConnection)
    expect((await readOn(cursor, { entity: 'Transactions' })).data).toEqual([])
    expect(await ask({ companyId: randomUUID() })).toMatchObject({ status: 404 })
    expect(await ask({ cursor, entity: 'Accounts' })).toMatchObject({
      status: 400,
      problem: expect.stringContaining('another CompanyId or Entity'),
    })
    expect(await ask({ entity: 'Ledgers' })).toMatchObject({ status: 400 })
  })

  it('says that data is gone, and shows none of it any more, before it is erased and after', async () => {
    const { cursor } = await readOn(null)
    api.bank.accounts = [{ id: 'chequing', name: 'Last', balance: '1.00' }]
    await api.syncHarness.sync(bankConnection)
    await disconnect(api.syncHarness.deps, {
      instanceId: api.syncHarness.instanceId,
      companyId: api.syncHarness.companyId,
      serviceId: bank(),
    })
    const gone = { operation: 'clear', id: null, serviceId: bank(), sessionId: bankConnection, record: null }
    const told = await readOn(cursor)
    expect(told.data).toMatchObject([gone])
    expect((await readOn(null)).data.some(({ serviceId }) => serviceId === bank())).toBe(false)
    await api.syncHarness.erase(bankConnection)
    expect((await readOn(cursor)).data).toMatchObject([gone])
    bankConnection = await api.syncHarness.connect(api.bank)
    await api.syncHarness.sync(bankConnection, { reason: 'first' })
    expect((await readOn(told.cursor)).data.map(short)).toEqual(['upsert chequing Last'])
    expect((await readOn(cursor)).data.map(short)).toEqual(['clear', 'upsert chequing Last'])
  })
})

describe('a cursor', () => {
  it('that is cut, made up or changed is refused by name', async () => {
    const { cursor } = await readOn(null)
    const changed = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`
    for (const wrong of [cursor.slice(0, -3), cursor.slice(4), changed, 'x', `${cursor}==`, '{}', 'AAAA']) {
      expect(await ask({ cursor: wrong }), wrong).toMatchObject({
        status: 400,
        problem: expect.stringContaining('not a cursor of this feed'),
      })
    }
    expect((await ask({ cursor })).status).toBe(200)
  })

  it('that is made up with its check sum is refused by name as well', async () => {
    const { cursor } = await readOn(null)
    const written = Buffer.from(cursor, 'base64url').subarray(6).toString()
    const [feedId, position, placeId, filter] = JSON.parse(written) as unknown[]
    const sign = (text: string) =>
      Buffer.concat([createHash('sha256').update(text).digest().subarray(0, 6), Buffer.from(text)]).toString('base64url')
    const at = (from: string) => JSON.stringify([feedId, position, placeId, filter, ['place', 'Accounts', from, randomUUID()]])
    expect((await ask({ cursor: sign(written) })).status).toBe(200)
    expect((await ask({ cursor: sign(at('2026-02-28 23:59:59.123456+00')) })).status).toBe(200)
    const instants = ['2026', '2026-13-01 00:00:00+00', '2026-02-30 00:00:00+00', '0000-01-01 00:00:00+00', '2026-01-01 24:00:00+00']
    for (const wrong of [
      ...['{', 'null', '[]', '"x"'],
      written.replace(String(feedId), '-'.repeat(36)),
      ...[...instants, '++++++++++', '2026-01-01 00:00:00+99', '2026-01-01 00:00:00'].map(at),
    ]) {
      expect(await ask({ cursor: sign(wrong) }), wrong).toMatchObject({
        status: 400,
        problem: expect.stringContaining('not a cursor of this feed'),
      })
    }
  })

  it('of another instance is refused, and says what to do', async () => {
    const { cursor } = await readOn(null)
    const { token } = await api.openOtherInstance()
    const url = `/admin/api/v1/normalized-data/changes?${new URLSearchParams({ cursor })}`
    const answer = await api.app.inject({ url, headers: { authorization: `Bearer ${token}` } })
    expect([answer.statusCode, answer.json().detail]).toEqual([410, expect.stringMatching(/another instance.*without a cursor/)])
  })

  it('older than what is kept is refused, the last one never', async () => {
    const { database } = api.syncHarness.deps
    const { cursor: old } = await readOn(null)
    for (const name of ['One', 'Two']) {
      api.bank.accounts = [{ id: 'chequing', name, balance: '1234.50' }]
      await api.syncHarness.sync(bankConnection)
      await readOn(old)
    }
    const { cursor } = await readOn(old)
    await database.query(`update placed_changes set placed_at = placed_at - interval '91 days'`)
    await deleteOldPlaces(database, 90)
    expect(await ask({ cursor })).toMatchObject({ status: 200, feed: { data: [] } })
    expect(await ask({ cursor: old })).toMatchObject({ status: 410, problem: expect.stringMatching(/older.*without a cursor/) })
  })

  it('is good for as long as it takes the change after it to become too old', async () => {
    const { database } = api.syncHarness.deps
    const { cursor } = await readOn(null)
    for (const name of ['Next', 'Last']) {
      api.bank.accounts = [{ id: 'chequing', name, balance: '1234.50' }]
      await api.syncHarness.sync(bankConnection)
      await readOn(cursor)
    }
    const age = 'update placed_changes set placed_at = $1 where position <= (select position - $2 from change_feeds where instance_id = $3)'
    const { instanceId } = api.syncHarness
    await database.query(age, [new Date(0), 2, instanceId])
    await deleteOldPlaces(database, 90)
    expect((await readOn(cursor)).data.map(short)).toEqual(['upsert chequing Last'])
    await database.query(age, [new Date(0), 1, instanceId])
    await deleteOldPlaces(database, 90)
    expect(await ask({ cursor })).toMatchObject({ status: 410 })
  })

  it('from after the backup that was restored is refused; one from before goes on', async () => {
    const { database } = api.syncHarness.deps
    const TABLES = ['change_feeds', 'placed_publications', 'placed_changes', 'publications', 'record_versions']
    const rename = async (name: string) => {
      api.bank.accounts = [{ id: 'chequing', name, balance: '1234.50' }]
      await api.syncHarness.sync(bankConnection)
    }
    await rename('Before')
    const { cursor: before } = await readOn(null)
    for (const table of TABLES) await database.query(`create table saved_${table} as select * from ${table}`)
    await rename('Lost')
    const { cursor: lost } = await readOn(before)
    // As a restore brings back all of the database: these are the tables that reads of the feed use.
    for (const table of TABLES) {
      const { rows: columns } = await database.query<{ name: string }>(
        `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
        [table],
      )
      const names = columns.map(({ name }) => name)
      await database.query(`delete from ${table}`)
      const saved = `select ${names.map((name) => `${name}::text`).join(', ')} from saved_${table}`
      const { rows } = await database.query<string[]>({ text: saved, rowMode: 'array' })
      const insert = `insert into ${table} (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`
      for (const row of rows) await database.query(insert, row)
      await database.query(`drop table saved_${table}`)
    }
    expect(await ask({ cursor: lost })).toMatchObject({ status: 410, problem: expect.stringMatching(/restored.*without a cursor/) })
    await rename('After')
    await readOn(before)
    expect(await ask({ cursor: lost })).toMatchObject({ status: 410 })
    expect((await readOn(before)).data.map(short)).toEqual(['upsert chequing After'])
    expect(books()).not.toBe(bank())
  })
})
