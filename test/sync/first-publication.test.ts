import { afterEach, beforeEach, expect, it } from 'vitest'
import { SourceError, type SourceItem } from '../../src/connectors/contract/contract.ts'
import { FIRST_ID } from '../../src/model/values/first-id.ts'
import { listStoredDocuments } from '../../src/store/owners/owner-connections.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { findRecordVersion } from '../../src/store/records/record-history.ts'
import type { RecordView } from '../../src/store/records/record-pages.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { refreshCoverage } from '../../src/sync/runs/coverage.ts'
import { readRecords } from '../harness/read-records.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { type ScriptedAccount, ScriptedSource } from './scripted-source.ts'

let books: ScriptedSource
let harness: SyncHarness

beforeEach(async () => {
  books = new ScriptedSource('books')
  books.accounts = accounts(25)
  books.pageSize = 10
  harness = await openSyncHarness([books])
})
afterEach(() => harness.close())

const scope = () => harness.scopeOf(books)

function accounts(count: number): ScriptedAccount[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(1_000 + i), name: `Account ${i}` }))
}

/** Names as readers see them, by the source's id; null before the first publication. */
async function read(view: RecordView = {}): Promise<Record<string, unknown> | null> {
  const columns = recordColumns('Accounting', 'Accounts')
  const page = await readRecords(harness.deps.database, scope(), {
    entity: 'Accounts',
    columns,
    view,
    selection: { limit: 500, offset: 0 },
  })
  return page && Object.fromEntries(page.records.map(({ origId, name }) => [origId, name]))
}

async function written(): Promise<number> {
  const { rows } = await harness.deps.database.query<{ count: number }>('select count(*)::int as count from record_versions')
  return rows[0]?.count ?? 0
}

/** The database's own time, in whole milliseconds, different from all before and after. */
async function now(): Promise<Date> {
  const { rows } = await harness.deps.database.query<{ at: Date }>(
    `select date_trunc('milliseconds', clock_timestamp()) + '1 ms' as at, pg_sleep(0.002)`,
  )
  return rows[0]?.at ?? new Date(Number.NaN)
}

const names = (of: ScriptedAccount[]) => Object.fromEntries(of.map(({ id, name }) => [id, name]))

it('nothing that a first run has written is visible before its publication, which is the start that readers see', async () => {
  const id = await harness.connect(books)
  books.faults = [null, null, new SourceError('unavailable', 'away')]
  expect(await harness.sync(id, { reason: 'first' })).toMatchObject({ done: false })
  const meanwhile = await now()
  const recordId = (await listStoredDocuments(harness.deps.database, { ...scope(), connectionId: id }, 'Accounts', FIRST_ID, 1))[0]?.id
  const wanted = { entity: 'Accounts' as const, ids: [recordId ?? ''] }
  expect([await written(), await read(), await read({ includeDeleted: true }), await read({ asOf: meanwhile })]).toEqual([
    20,
    null,
    null,
    null,
  ])
  expect(await findRecordVersion(harness.deps.database, scope(), { ...wanted, asOf: null })).toBeNull()

  expect(await harness.sync(id, { reason: 'first' })).toEqual({ done: true })
  expect(books.fetches).toEqual([null, 10, 20, 20])
  const after = await now()
  expect([await read(), await read({ asOf: after })]).toEqual([names(books.accounts), names(books.accounts)])
  expect(await read({ asOf: meanwhile }), 'as of a time before').toEqual({})
  expect(await read({ modifiedSince: meanwhile }), 'since a time before').toEqual(names(books.accounts))
  expect(await read({ modifiedSince: after })).toEqual({})
  const { rows } = await harness.deps.database.query<{ at: Date }>('select published_at as at from publications')
  expect(await findRecordVersion(harness.deps.database, scope(), { ...wanted, asOf: null })).toMatchObject({ validFrom: rows[0]?.at })
  expect(await findRecordVersion(harness.deps.database, scope(), { ...wanted, asOf: meanwhile })).toBeNull()
})

it('its instant stays when other versions follow', async () => {
  const id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  const between = await now()
  books.accounts = books.accounts.map((account) => (account.id === '1003' ? { ...account, name: 'Chequing' } : account))
  await harness.sync(id)
  expect(await read({ modifiedSince: between })).toEqual({ 1003: 'Chequing' })
  expect(await read({ asOf: between })).toEqual(names(accounts(25)))
  expect(await read()).toEqual(names(books.accounts))
})

it('what an unfinished run wrote is removed before the next one reads', async () => {
  const id = await harness.connect(books)
  const left = new SourceError('reconnect', 'the owner has left')
  books.faults = [null, null, left, left]
  await harness.sync(id, { reason: 'first' })
  expect(await written()).toBe(20)
  books.accounts = accounts(25).slice(15)
  expect(await harness.connect(books)).toBe(id)
  expect(await harness.sync(id, { reason: 'reconnect' })).toEqual({ done: true })
  expect([await read(), await written()]).toEqual([names(books.accounts), 10])
})

it('what an ended connection left there is not part of it, nor are its counts', async () => {
  const former = await harness.connect(books)
  await harness.sync(former, { reason: 'first' })
  await refreshCoverage(harness.deps.database, scope(), 'Accounting')
  await disconnect(harness.deps, scope())
  expect(await read()).toBeNull()
  books.accounts = books.accounts.slice(5).map((account) => ({ ...account, name: 'Of the new one' }))
  const id = await harness.connect(books)
  expect(id).not.toBe(former)
  await harness.sync(id, { reason: 'first' })
  expect([await read(), await written()]).toEqual([names(books.accounts), 20])
  const { rows } = await harness.deps.database.query('select * from record_coverage')
  expect(rows).toEqual([])
  await harness.erase(former)
  expect([await read(), await written()]).toEqual([names(books.accounts), 20])
})

it('of a record read twice in a first run the newer version stays, or without versions the later one, and removed ones are deleted', async () => {
  const id = await harness.connect(books)
  books.pageSize = 6
  books.accounts = [
    { id: 'older later', name: 'new', version: '2' },
    { id: 'newer later', name: 'old', version: '1' },
    { id: 'without', name: 'first' },
    { id: 'removed', name: 'gone', version: '1' },
    { id: 'between', name: 'between' },
    { id: 'once', name: 'once' },
    { id: 'older later', name: 'old', version: '1' },
    { id: 'newer later', name: 'new', version: '2' },
    { id: 'without', name: 'second' },
    { id: 'removed', name: '', isRemoved: true },
    { id: 'behind', name: 'behind' },
    { id: 'never there', name: '', isRemoved: true },
  ]
  await harness.sync(id, { reason: 'first' })
  const left = { 'older later': 'new', 'newer later': 'new', without: 'second', between: 'between', once: 'once', behind: 'behind' }
  expect([await read(), await written()]).toEqual([left, 6])
})

it('a page that turns out to be broken after its first thousand records leaves nothing', async () => {
  const { connector } = books
  const [pull] = connector.pulls
  if (!pull) throw new Error('the source has no pull')
  function* breakOff(answers: Record<string, Uint8Array>): Generator<SourceItem> {
    for (const [place, item] of [...(pull?.read(answers) ?? [])].entries()) {
      if (place === 1_000) throw new SourceError('badData', 'broken off')
      yield item
    }
  }
  Object.defineProperty(books, 'connector', { value: { ...connector, pulls: [{ ...pull, read: breakOff }] } })
  books.accounts = accounts(1_500)
  books.pageSize = 1_500
  const id = await harness.connect(books)
  expect(await harness.sync(id, { reason: 'first' })).toMatchObject({ done: false })
  expect([await written(), await read()]).toEqual([0, null])
})

it('of two pulls of the same kind of record, the complete listing decides what exists', async () => {
  const { connector } = books
  const [complete] = connector.pulls
  if (!complete) throw new Error('the source has no pull')
  const rumour = [...accounts(25), { id: 'rumoured', name: 'Of which the listing knows nothing' }]
  const changes: typeof complete = {
    ...complete,
    name: 'changes',
    fetch: async () => ({ answers: { list: Buffer.from(JSON.stringify(rumour)) }, next: null, listing: 'changes' }),
  }
  Object.defineProperty(books, 'connector', { value: { ...connector, pulls: [changes, complete] } })
  expect(await harness.sync(await harness.connect(books), { reason: 'first' })).toEqual({ done: true })
  expect(await read()).toEqual(names(accounts(25)))
})

it('unreadable records are deleted with everything else when the connection is erased', async () => {
  books.accounts = [...accounts(25), { id: 'odd', name: 5 }]
  const id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  const countSetAside = async () =>
    (await harness.deps.database.query<{ orig_id: string }>('select orig_id from quarantined_records where connection_id = $1', [id])).rows
  expect(await countSetAside()).toEqual([{ orig_id: 'odd' }])
  await disconnect(harness.deps, scope())
  await harness.erase(id)
  expect([await countSetAside(), await written()]).toEqual([[], 0])
})
