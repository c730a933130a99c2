import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import { readReplayReport } from '../../src/store/records/replay-reports.ts'
import { findReplay } from '../../src/store/records/replays.ts'
import { disconnect, suspend } from '../../src/sync/connection/connection-actions.ts'
import { quarantineOf, runsOf } from '../harness/app/runs.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ChangingSource } from './changing-source.ts'
import { replay, requestReplay, workOnce, written } from './replays.ts'

let books: ChangingSource
let harness: SyncHarness
let id = ''

beforeEach(async () => {
  books = new ChangingSource('books')
  books.accounts = Array.from({ length: 25 }, (_, i) => ({ id: String(1_000 + i), name: `Account ${i}` }))
  books.pageSize = 10
  harness = await openSyncHarness([books])
  harness.deps.readLeaseMs = 0
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
})
afterEach(async () => await harness.close())

async function current(): Promise<Record<string, unknown>[]> {
  const { rows } = await harness.deps.database.query<{ doc: string }>(
    'select doc from record_versions where connection_id = $1 and valid_to is null order by orig_id',
    [id],
  )
  return rows.map(({ doc }) => JSON.parse(doc))
}

async function lastRun() {
  return (await runsOf(harness, id, 1))[0]
}

async function connection() {
  return await findConnection(harness.deps.database, harness.instanceId, id)
}

const inCapitals = { name: (account: { name: string }) => account.name.toUpperCase() }
const refusing = (names: RegExp) => ({
  name: (account: { name: string }) => {
    if (names.test(account.name)) throw new RangeError('not a name')
    return account.name
  },
})

describe('a dry run', () => {
  it('reports per field what a changed mapping would change, with examples, and changes nothing', async () => {
    const before = await written(harness)
    const fetches = books.fetches.length
    books.release({ ...inCapitals, number: (account) => (account.id === '1003' ? '' : account.id) })
    const report = await replay(harness, id, { isDryRun: true })
    expect(report).toMatchObject({ connections: { done: 1, waiting: 0 }, counts: { pages: 3, records: 25, changed: 25 } })
    expect(report.changes.map(({ field, count, examples }) => [field, count, examples.length])).toEqual([
      ['name', 25, 5],
      ['number', 1, 1],
    ])
    const known = new Map((await current()).map((account) => [account.id, account]))
    for (const { recordId, before: old, after } of report.changes[0]?.examples ?? []) {
      expect(old).toBe(known.get(recordId)?.name)
      expect(after).toBe(String(old).toUpperCase())
    }
    expect(await written(harness)).toEqual(before)
    expect(books.fetches).toHaveLength(fetches)
    expect((await lastRun())?.reason, 'no run is left').toBe('first')
  })
})

describe('a replay', () => {
  it('publishes differences as a separate run, with its event, and without calling the source', async () => {
    const fetches = books.fetches.length
    const { rows: before } = await harness.deps.database.query(`select count(*)::int as count from events where kind = 'NormalizedData'`)
    books.release({ name: (account) => (account.id === '1007' ? 'Renamed' : account.name) })
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ records: 25, changed: 1 })
    expect((await current()).map(({ name }) => name).filter((name) => name === 'Renamed')).toHaveLength(1)
    expect(await lastRun()).toMatchObject({ reason: 'replay', state: 'published', counts: { changed: 1, deleted: 0 } })
    const { rows: versions } = await harness.deps.database.query(
      `select orig_id, mapping_version from record_versions where connection_id = $1 and run_id = $2`,
      [id, (await lastRun())?.id],
    )
    expect(versions).toEqual([{ orig_id: '1007', mapping_version: 2 }])
    const { rows: after } = await harness.deps.database.query(`select count(*)::int as count from events where kind = 'NormalizedData'`)
    expect(after[0]?.count).toBe(before[0]?.count + 1)
    const { rows: told } = await harness.deps.database.query<{ body: string }>(
      `select body from events where kind = 'NormalizedData' order by created_at desc limit 1`,
    )
    expect(JSON.parse(told[0]?.body ?? '')).toMatchObject({ Data: { IssuedAs: 'Manual' } })
    expect(books.fetches).toHaveLength(fetches)
  })

  it('is what later runs compare with', async () => {
    books.release(inCapitals)
    await replay(harness, id)
    await harness.sync(id)
    expect(await lastRun()).toMatchObject({ reason: 'schedule', state: 'unchanged' })
  })

  it('leaves schedule, cursors, fault, status and time of the last sync unchanged', async () => {
    await harness.deps.database.query(`update connections set status = 11, fault = 'down', last_read_at = '2026-01-01' where id = $1`, [id])
    const before = await connection()
    books.release(inCapitals)
    await replay(harness, id)
    const after = await connection()
    expect(after?.publishedAt).not.toEqual(before?.publishedAt)
    expect({ ...after, publishedAt: null }).toEqual({ ...before, publishedAt: null })
    const { rows } = await harness.deps.database.query(`select last_read_at from connections where id = $1`, [id])
    expect(rows[0]?.last_read_at).toEqual(new Date('2026-01-01T00:00:00Z'))
  })

  it('leaves tombstones unchanged', async () => {
    books.accounts.splice(3, 1)
    await harness.sync(id)
    books.release(inCapitals)
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ records: 24, changed: 24 })
    const { rows } = await harness.deps.database.query(
      `select doc from record_versions where connection_id = $1 and valid_to is null and deleted`,
      [id],
    )
    expect(rows.map(({ doc }) => JSON.parse(doc))).toEqual([expect.objectContaining({ name: 'Account 3', statusSystem: 'DELETED' })])
  })

  it('never restores what a later page has replaced', async () => {
    books.accounts = books.accounts.map((account) => (account.id === '1004' ? { ...account, name: 'Newer' } : account))
    await harness.sync(id)
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ pages: 4, records: 25, changed: 0 })
    expect((await current())[4]).toMatchObject({ name: 'Newer' })
  })

  it('never publishes what a run has read and not published', async () => {
    books.accounts = books.accounts.map((account) => ({ ...account, name: `${account.name} (half)` }))
    books.faults = [null, new Error('cut off')]
    await harness.sync(id).catch(() => undefined)
    await harness.deps.database.query(`update sync_runs set state = 'failed' where state = 'running'`)
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ records: 25, changed: 0 })
    expect(JSON.stringify(await current())).not.toContain('half')
  })

  it('publishes records that were set aside once the mapping can read them', async () => {
    books.accounts.push({ id: '2000', name: 'odd' })
    books.release(refusing(/^odd$/))
    await harness.sync(id)
    expect(await quarantineOf(harness, id)).toHaveLength(1)
    books.release({})
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ added: 1, setAside: 0 })
    expect((await current()).map(({ origId }) => origId)).toContain('2000')
    expect(await quarantineOf(harness, id)).toEqual([])
  })

  it('sets aside what the mapping now refuses and keeps its published version', async () => {
    books.release(refusing(/ 7$/))
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ setAside: 1, changed: 0 })
    const [setAside] = await quarantineOf(harness, id)
    expect(setAside).toMatchObject({ origId: '1007', reason: 'name: not a name' })
    expect(await current()).toHaveLength(25)
  })

  it('publishes nothing if more than 5 % cannot be normalized, and says so', async () => {
    const before = await current()
    books.release(refusing(/./))
    const report = await replay(harness, id)
    expect(report).toMatchObject({
      connections: { failed: 1 },
      failures: [{ connectionId: id, error: expect.stringContaining('25 of 25') }],
    })
    expect(await current()).toEqual(before)
    expect(await lastRun()).toMatchObject({ reason: 'replay', state: 'failed' })
  })

  it('counts records whose raw page was deleted, and pages that cannot be opened, and processes the others', async () => {
    const { rows } = await harness.deps.database.query<{ id: string }>('select id from raw_pages order by page')
    await harness.deps.database.query('delete from raw_pages where id = $1', [rows[0]?.id])
    await harness.deps.database.query('update raw_pages set sealed = $2 where id = $1', [rows[1]?.id, Buffer.alloc(200)])
    books.release(inCapitals)
    const report = await replay(harness, id)
    expect(report.counts).toMatchObject({ withoutPage: 10, unreadablePages: 1, changed: 5 })
  })

  it('skips a connection that has ended', async () => {
    const requested = await requestReplay(harness)
    await disconnect(harness.deps, harness.scopeOf(books))
    await workOnce(harness, id)
    const report = await readReplayReport(harness.deps.database, harness.instanceId, requested)
    expect(report.connections).toMatchObject({ skipped: 1, waiting: 0 })
  })

  it('covers exactly the requested connections', async () => {
    const count = async (wanted: Parameters<typeof requestReplay>[1]) => {
      const requested = await requestReplay(harness, wanted)
      return (await readReplayReport(harness.deps.database, harness.instanceId, requested)).connections.waiting
    }
    expect(await count({})).toBe(1)
    expect(await count({ companyId: harness.companyId, serviceId: harness.serviceId(books) })).toBe(1)
    expect(await count({ companyId: randomUUID() })).toBe(0)
    expect(await count({ connectorKey: 'other' })).toBe(0)
    expect(await findReplay(harness.deps.database, randomUUID(), await requestReplay(harness))).toBeNull()
  })
})

describe('a replay concurrent with syncs', () => {
  it('waits for a running one', async () => {
    books.faults = [null, new Error('cut off')]
    await harness.sync(id).catch(() => undefined)
    const requested = await requestReplay(harness)
    expect(await workOnce(harness, id)).toMatchObject({ done: false, isFailure: false, reason: 'the connection is being read' })
    await harness.sync(id)
    await workOnce(harness, id)
    expect((await readReplayReport(harness.deps.database, harness.instanceId, requested)).connections.done).toBe(1)
  })

  it('starts over after a sync that came in between, so that nothing older replaces what that one published', async () => {
    books.release(inCapitals)
    const requested = await requestReplay(harness)
    stopAfter('before-replayed-page-commit', 2)
    await workOnce(harness, id)
    books.accounts = books.accounts.map((account) => ({ ...account, name: 'from the source' }))
    await harness.sync(id)
    expect(await lastRun(), 'a run of its own').toMatchObject({ reason: 'schedule', state: 'published' })
    const { rows } = await harness.deps.database.query('select count(*)::int as count from staged_records')
    expect(rows[0]?.count).toBe(0)
    await workOnce(harness, id)
    const report = await readReplayReport(harness.deps.database, harness.instanceId, requested)
    expect(report).toMatchObject({ connections: { done: 1 }, counts: { records: 25, changed: 0 } })
    expect(new Set((await current()).map(({ name }) => name))).toEqual(new Set(['FROM THE SOURCE']))
  })
})

describe('an interrupted replay', () => {
  it.each([
    ['in the middle of its second page', 'before-replayed-page-commit', 2],
    ['before it publishes', 'before-replay-commit', 1],
  ])('%s continues after the last stored page with the same result', async (_title, place, times) => {
    books.release(inCapitals)
    const requested = await requestReplay(harness)
    const before = await written(harness)
    stopAfter(place, times)
    expect(await workOnce(harness, id)).toMatchObject({ done: false, isFailure: true })
    expect(await written(harness)).toMatchObject({ ...(before as object), staged: times === 2 ? '10' : '25' })
    const opened = countOpenings()
    await workOnce(harness, id)
    expect(opened()).toBe(times === 2 ? 2 : 0)
    const report = await readReplayReport(harness.deps.database, harness.instanceId, requested)
    expect(report).toMatchObject({ connections: { done: 1 }, counts: { pages: 3, records: 25, changed: 25 } })
    expect(report.changes).toMatchObject([{ field: 'name', count: 25 }])
    expect((await current()).every(({ name }) => String(name).startsWith('ACCOUNT'))).toBe(true)
    expect(await lastRun()).toMatchObject({ reason: 'replay', state: 'published', counts: { pages: 3, records: 25, changed: 25 } })
  })

  it('starts over if its run was ended meanwhile, and leaves no page out', async () => {
    books.release(inCapitals)
    const requested = await requestReplay(harness)
    stopAfter('before-replayed-page-commit', 2)
    await workOnce(harness, id)
    await suspend(harness.deps, harness.scopeOf(books))
    await workOnce(harness, id)
    const report = await readReplayReport(harness.deps.database, harness.instanceId, requested)
    expect(report).toMatchObject({ connections: { done: 1 }, counts: { pages: 3, records: 25, changed: 25 } })
  })
})

/** Simulates the end of the process at the nth arrival at this point; the transaction is rolled back. */
function stopAfter(place: string, times: number): void {
  let left = times
  harness.deps.log.error = () => undefined
  harness.deps.crashPoint = async (reached) => {
    if (reached !== place) return
    left -= 1
    if (left === 0) throw new Error('the process has ended')
  }
}

/** Counts raw pages opened from now on. */
function countOpenings(): () => number {
  let count = 0
  const { openLarge } = harness.deps.sealer
  harness.deps.sealer.openLarge = async (context, sealed) => {
    if (context.table === 'raw_pages') count += 1
    return await openLarge(context, sealed)
  }
  return () => count
}
