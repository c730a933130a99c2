import { describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { acceptDeletions, disconnect, resume, suspend } from '../../src/sync/connection/connection-actions.ts'
import { quarantineOf, runsOf } from '../harness/app/runs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { readRecords } from '../harness/read-records.ts'
import { openSyncHarness } from './harness.ts'
import { type ScriptedAccount, ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('books')
const bank = new ScriptedSource('bank', 'Banking')
const harness = openForTests(() => openSyncHarness([books, bank]))

async function read(source: ScriptedSource, view = {}): Promise<Record<string, unknown>[]> {
  return (await readPage(source, { limit: 500, offset: 0 }, view)).records
}

async function readPage(source: ScriptedSource, place: { limit: number; offset: number }, view = {}) {
  const columns = recordColumns(source.description.category, 'Accounts')
  const page = await readRecords(harness.deps.database, harness.scopeOf(source), { entity: 'Accounts', columns, view, selection: place })
  return page ?? { records: [], total: undefined }
}

async function events(): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ kind: string }>('select kind from events where instance_id = $1', [
    harness.instanceId,
  ])
  return rows.map((row) => row.kind)
}

async function rowsWritten(): Promise<unknown[]> {
  const { rows } = await harness.deps.database.query(
    `select (select count(*) from record_versions) as versions, (select count(*) from raw_pages) as pages, (select count(*) from events) as events,
       (select max(xmin::text::bigint) from record_versions) as last, (select version from publications limit 1) as publication`,
  )
  return rows
}

function accounts(count: number): ScriptedAccount[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(1_000 + i), name: `Account ${i}`, balance: `${i}.10` }))
}

describe('an accounting connection', () => {
  let id = ''

  it('goes from Authorized through Loading to Structured and reports it once', async () => {
    books.accounts = accounts(25)
    books.pageSize = 10
    id = await harness.connect(books)
    expect((await findConnection(harness.deps.database, harness.instanceId, id))?.status).toBe(9)
    expect(await harness.sync(id, { isAwaited: true, reason: 'first' })).toEqual({ done: true })
    expect((await findConnection(harness.deps.database, harness.instanceId, id))?.status).toBe(15)
    const timeline = await listTimeline(harness.deps.database, harness.instanceId, id)
    expect(timeline.map((entry) => entry.toStatus)).toEqual([6, 9, 2, 12, 13, 15])
    expect((await events()).sort()).toEqual(['NormalizedData', 'RawData', 'ReadyToUseData'])
    expect(await read(books)).toHaveLength(25)
  })

  it('returns pages with their number of records, all in one order', async () => {
    const pages = await Promise.all([0, 10, 20, 30].map((offset) => readPage(books, { offset, limit: 10 })))
    expect(pages.map((page) => [page.records.length, page.total])).toEqual([
      [10, 25],
      [10, 25],
      [5, 25],
      [0, 25],
    ])
    expect(pages.flatMap((page) => page.records)).toEqual(await read(books))
  })

  it('writes no record, page or event in a refresh without changes', async () => {
    const before = await rowsWritten()
    expect(await harness.sync(id)).toEqual({ done: true })
    expect(await rowsWritten()).toEqual(before)
    expect((await runsOf(harness, id, 1))[0]?.state).toBe('unchanged')
  })

  it('creates a new version for changes and leaves the rest alone', async () => {
    const firstRead = new Date()
    const [before] = await read(books)
    books.accounts = books.accounts.map((account) => (account.id === '1000' ? { ...account, name: 'Chequing' } : account))
    await harness.sync(id)
    const [after] = await read(books)
    expect(after).toMatchObject({ name: 'Chequing', id: before?.id })
    const [earlier] = await read(books, { asOf: firstRead })
    expect(earlier).toEqual(before)
    expect(await read(books, { modifiedSince: firstRead })).toHaveLength(1)
  })

  it('creates a tombstone after a complete listing and restores the same id', async () => {
    const [gone] = books.accounts.splice(3, 1)
    await harness.sync(id)
    expect(await read(books)).toHaveLength(24)
    const deleted = (await read(books, { includeDeleted: true })).find((account) => account.origId === gone?.id)
    expect(deleted).toMatchObject({ statusSystem: 'DELETED' })
    if (gone) books.accounts.push(gone)
    await harness.sync(id)
    expect((await read(books)).find((account) => account.origId === gone?.id)).toMatchObject({ id: deleted?.id, statusSystem: 'ACTIVE' })
  })

  it('holds deletions back if everything seems to have disappeared', async () => {
    const all = books.accounts
    books.accounts = []
    await harness.sync(id)
    expect(await read(books)).toHaveLength(25)
    expect((await runsOf(harness, id, 1))[0]?.counts.heldBack).toBe(25)
    books.accounts = all
    await harness.sync(id)
  })

  it('accepts that everything has disappeared once an operator confirms it, and only for that listing', async () => {
    const all = books.accounts
    books.accounts = []
    await harness.sync(id)
    const target = harness.scopeOf(books)
    await acceptDeletions(harness.deps, target)
    expect(await read(books), 'saying so changes nothing yet').toHaveLength(25)
    await harness.sync(id)
    expect(await read(books)).toEqual([])
    books.accounts = all
    await harness.sync(id)
    books.accounts = []
    await harness.sync(id)
    expect(await read(books)).toHaveLength(25)
    books.accounts = all
    await harness.sync(id)
  })

  it('sets one broken record aside with its reason and publishes the others', async () => {
    books.accounts = books.accounts.map((account) => (account.id === '1001' ? { ...account, name: 7 } : account))
    await harness.sync(id)
    const [setAside] = await quarantineOf(harness, id)
    expect(setAside).toMatchObject({ origId: '1001', reason: expect.stringContaining('/name') })
    expect(await read(books), 'the last good version stays').toHaveLength(25)
    books.accounts = books.accounts.map((account) => (account.id === '1001' ? { ...account, name: 'Mended' } : account))
    await harness.sync(id)
    expect(await quarantineOf(harness, id)).toEqual([])
  })

  it('publishes nothing of a run in which more than 5 % cannot be normalized', async () => {
    const good = books.accounts
    books.accounts = accounts(200).map((account, i) => (i % 5 === 0 ? { ...account, name: null } : { ...account, name: `New ${i}` }))
    await harness.sync(id)
    expect((await findConnection(harness.deps.database, harness.instanceId, id))?.status).toBe(14)
    expect((await read(books))[0]).toMatchObject({ name: 'Chequing' })
    books.accounts = good
    await harness.sync(id)
    expect((await findConnection(harness.deps.database, harness.instanceId, id))?.status).toBe(15)
  })

  it('never takes a truncated page for an empty list', async () => {
    books.garbage = '[{"id":"1'
    expect(await harness.sync(id)).toMatchObject({ done: false, isFailure: true })
    expect(await read(books)).toHaveLength(25)
    await harness.sync(id)
  })

  it('resumes after the last stored page if a run was interrupted', async () => {
    books.fetches = []
    books.faults = [null, new SourceError('unavailable', 'reset')]
    expect(await harness.sync(id)).toMatchObject({ done: false })
    await harness.sync(id)
    expect(books.fetches).toEqual([null, 10, 10, 20])
    expect(await read(books)).toHaveLength(25)
  })

  it('lets a fenced-off worker write nothing', async () => {
    books.accounts = books.accounts.map((account) => ({ ...account, name: `${account.name} (late)` }))
    let hasOvertaken = false
    books.beforeFetch = async () => {
      if (hasOvertaken) return
      hasOvertaken = true
      await harness.deps.database.query(`update sync_runs set fence = fence + 1 where state = 'running'`)
    }
    expect(await harness.sync(id)).toEqual({ done: true })
    books.beforeFetch = null
    expect((await read(books)).some((account) => String(account.name).endsWith('(late)'))).toBe(false)
    await harness.sync(id)
    expect((await read(books)).every((account) => String(account.name).endsWith('(late)'))).toBe(true)
  })

  it('never lets an older version of a record win', async () => {
    books.accounts = books.accounts.map((account) => ({ ...account, name: 'newer', version: '2026-02-01' }))
    await harness.sync(id)
    books.accounts = books.accounts.map((account) => ({ ...account, name: 'older', version: '2026-01-01' }))
    await harness.sync(id)
    expect((await read(books)).every((account) => account.name === 'newer')).toBe(true)
  })

  it('refreshes refused credentials once and continues', async () => {
    const before = books.refreshes
    books.validToken = 'token-elsewhere'
    expect(await harness.sync(id)).toEqual({ done: true })
    expect(books.refreshes).toBe(before + 1)
    expect((await findConnection(harness.deps.database, harness.instanceId, id))?.status).toBe(15)
  })

  it('waits as long as the source says and leaves the status unchanged', async () => {
    books.faults = [new SourceError('rateLimited', 'slow down', { retryAfterMs: 66_000 })]
    expect(await harness.sync(id)).toEqual({ done: false, inMs: 66_000, isFailure: false, reason: 'slow down' })
    expect((await findConnection(harness.deps.database, harness.instanceId, id))?.status).toBe(15)
  })

  it('asks the owner if the source refuses permanently, keeps published records, and a successful sync clears the fault', async () => {
    books.faults = [new SourceError('reconnect', 'revoked'), new SourceError('reconnect', 'revoked')]
    await harness.sync(id)
    const faulty = await findConnection(harness.deps.database, harness.instanceId, id)
    expect(faulty).toMatchObject({ status: 8, fault: 'revoked' })
    expect(await events()).toContain('Error')
    expect(await read(books)).toHaveLength(25)
    expect(await harness.connect(books), 'the same connection').toBe(id)
    await harness.sync(id)
    expect(await findConnection(harness.deps.database, harness.instanceId, id)).toMatchObject({ status: 15, fault: null })
  })

  it('accepts no sync while suspended and continues when resumed', async () => {
    await suspend(harness.deps, harness.scopeOf(books))
    books.fetches = []
    expect(await harness.sync(id)).toEqual({ done: true })
    expect(books.fetches).toEqual([])
    expect(await events()).toContain('Suspended')
    await resume(harness.deps, harness.scopeOf(books))
    await harness.sync(id)
    expect(books.fetches.length).toBeGreaterThan(0)
  })

  it('ends at once when disconnected: no reads, no writes, data and credentials deleted, then the event', async () => {
    books.beforeFetch = async () => {
      books.beforeFetch = null
      await disconnect(harness.deps, harness.scopeOf(books))
    }
    expect(await harness.sync(id)).toEqual({ done: true })
    expect(await read(books)).toEqual([])
    expect(await events()).not.toContain('Disconnected')
    expect(await harness.erase(id)).toEqual({ done: true })
    const { rows } = await harness.deps.database.query(
      `select (select count(*)::int from record_versions where connection_id = $1) as records,
         (select count(*)::int from raw_pages where connection_id = $1) as pages,
         (select credentials from connections where id = $1) as credentials`,
      [id],
    )
    expect(rows).toEqual([{ records: 0, pages: 0, credentials: null }])
    expect(await harness.revoke(id)).toEqual({ done: true })
    expect(books.disconnects).toBe(1)
    expect((await events()).filter((kind) => kind === 'Disconnected')).toHaveLength(1)
  })
})

describe('a banking connection', () => {
  it('continues to Synced and prints money as exact numbers', async () => {
    bank.accounts = [{ id: 'a', name: 'Chequing', balance: '12345678901234567.10' }]
    const id = await harness.connect(bank)
    await harness.sync(id, { reason: 'first' })
    expect((await listTimeline(harness.deps.database, harness.instanceId, id)).map((entry) => entry.toStatus)).toEqual([
      6, 9, 2, 12, 13, 15, 16, 18, 19,
    ])
    const { rows } = await harness.deps.database.query<{ doc: string }>('select doc from record_versions where connection_id = $1', [id])
    expect(rows[0]?.doc).toContain('"actualBalance":12345678901234567.1,')
  })
})
