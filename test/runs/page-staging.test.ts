import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { toRecordId } from '../../src/model/catalogue.ts'
import { openRun, type SyncRun } from '../../src/store/connections/sync-runs.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { idPrefix, isSeen, PageStaging, readSeen, type StagingRequest, stagePage, UNKNOWN_ID } from '../../src/sync/runs/page-staging.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { type ScriptedAccount, ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource()
const harness = openForTests(() => openSyncHarness([books]))
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows

let companyId: string
let connectionId: string
let run: SyncRun
const serviceId = () => harness.serviceId(books)
const idOf = (origId: string) => toRecordId(companyId, serviceId(), 'Accounts', origId)

beforeEach(async () => {
  const { deps, instanceId } = harness
  companyId = await addCompany(deps.database, instanceId)
  books.accounts = []
  connectionId = await companyActions(deps, instanceId, companyId).connect(books)
})

/** Publishes these accounts by a sync, and begins another run. */
async function publish(...pages: ScriptedAccount[][]): Promise<void> {
  const actions = companyActions(harness.deps, harness.instanceId, companyId)
  for (const [index, accounts] of pages.entries()) {
    books.accounts = accounts
    await actions.sync(connectionId, { reason: index === 0 ? 'first' : 'schedule' })
  }
  await begin()
}
async function begin(): Promise<void> {
  const { deps, instanceId } = harness
  const of = { instanceId, companyId, connectionId, id: randomUUID(), reason: 'schedule', isAwaited: false } as const
  run = await inTransaction(deps.database, (db) => openRun(db, { ...of, counts: { ...NO_COUNTS } }))
}
const request = (accounts: ScriptedAccount[], more: Partial<StagingRequest> = {}): StagingRequest => {
  const source = harness.deps.sources.get(books.description.key)
  const { connector } = books
  const [pull] = connector.pulls
  if (!source || !pull) throw new Error('there is a source with a pull')
  return {
    ...{ run, source, connector, pull, rawPageId: randomUUID(), answers: { list: Buffer.from(JSON.stringify(accounts)) } },
    scope: {
      ...{ instanceId: harness.instanceId, companyId, serviceId: serviceId(), serviceName: 'Scripted Books' },
      ...{ category: 'Accounting', fetchedAt: new Date('2026-03-01T12:00:00Z') },
    },
    ...more,
  }
}
const stage = (accounts: ScriptedAccount[], more: Partial<StagingRequest> = {}) =>
  inTransaction(harness.deps.database, (db) => stagePage(db, request(accounts, more)))
const staged = async () =>
  (await query('select orig_id as id, doc, raw_index as at from staged_records where run_id = $1 order by orig_id', [run.id])).map(
    ({ id, doc, at }) => [id, doc === null ? null : JSON.parse(doc).name, at],
  )
const written = async () =>
  (await query('select orig_id as id, doc, raw_index as at from record_versions where run_id = $1 order by orig_id', [run.id])).map(
    ({ id, doc, at }) => [id, doc === null ? null : JSON.parse(doc).name, at],
  )
const counts = ({ records, changed, setAside } = run.counts) => ({ records, changed, setAside })
const account = (id: string, name: string, version?: string): ScriptedAccount => ({
  id,
  name,
  ...(version === undefined ? {} : { version }),
})
const removed = (id: string): ScriptedAccount => ({ id, name: '', isRemoved: true })

describe('a record of a page', () => {
  it.each([
    ['that is published as it is', account('a', 'A', '2'), [], 0],
    ['that has changed', account('a', 'New', '3'), [['a', 'New', 0]], 1],
    ['that has changed without a version', account('a', 'New'), [['a', 'New', 0]], 1],
    ['that has changed under the same version', account('a', 'New', '2'), [['a', 'New', 0]], 1],
    ['that is older than the published one', account('a', 'Old', '1'), [], 0],
    ['that is new', account('n', 'N'), [['n', 'N', 0]], 1],
    ['that the source removed', removed('a'), [['a', null, 0]], 1],
    ['that was removed before', removed('gone'), [], 0],
    ['that was never there and is removed', removed('n'), [], 0],
    ['that is back', account('gone', 'Gone'), [['gone', 'Gone', 0]], 1],
  ])('%s is staged where it differs', async (_what, listed, rows, changed) => {
    await publish([account('a', 'A', '2'), account('gone', 'Gone')], [account('a', 'A', '2')])
    await stage([listed])
    expect([await staged(), counts()]).toEqual([rows, { records: 1, changed, setAside: 0 }])
  })

  it('is staged with its page, the number of the page, its document and its version', async () => {
    await publish([account('a', 'A', '1')])
    Object.assign(run, { page: 7 })
    const rawPageId = randomUUID()
    await stage([removed('a'), account('b', 'B', '5')], { rawPageId })
    const rows = await query(
      `select orig_id as "origId", id, instance_id as instance, company_id as company, entity, seq::int, raw_page_id as page, raw_index as at,
         mapping_version as mapping, source_version as version, sort_key as "sortKey", content_hash is null as "isHashless" from staged_records where run_id = $1 order by orig_id`,
      [run.id],
    )
    const share = { instance: harness.instanceId, entity: 'Accounts', seq: 7, page: rawPageId, company: rows[0]?.company }
    expect(rows).toEqual([
      { ...share, origId: 'a', id: idOf('a'), at: 0, mapping: 0, version: '1', sortKey: '', isHashless: true },
      { ...share, origId: 'b', id: idOf('b'), at: 1, mapping: 1, version: '5', sortKey: expect.stringMatching(/./), isHashless: false },
    ])
  })

  it('without a version is staged without one, and its removal with the last one known', async () => {
    await publish([account('a', 'A', '2'), account('b', 'B', '2')])
    await stage([account('a', 'New'), removed('b')])
    expect(
      await query('select orig_id as id, source_version as version from staged_records where run_id = $1 order by 1', [run.id]),
    ).toEqual([
      { id: 'a', version: null },
      { id: 'b', version: '2' },
    ])
  })

  it.each([
    ['the later one', [account('a', '1st'), account('a', '2nd')], '2nd', 1],
    ['the later one of equal versions', [account('a', '1st', '5'), account('a', '2nd', '5')], '2nd', 1],
    ['the newer one', [account('a', '1st', '6'), account('a', '2nd', '5')], '1st', 0],
  ])('that is on it twice is counted once: %s', async (_what, listed, name, at) => {
    await publish([account('z', 'Z')])
    await stage(listed)
    expect([await staged(), counts()]).toEqual([[['a', name, at]], { records: 1, changed: 1, setAside: 0 }])
  })

  it('that a later page shows as published is staged no more, unless what was staged is newer', async () => {
    await publish([account('a', 'A'), account('b', 'B', '5'), account('c', 'C')])
    await stage([account('a', 'Changed'), account('b', 'Changed', '9'), account('c', 'Changed')])
    await stage([account('a', 'A'), account('b', 'B', '5')])
    expect((await staged()).map(([id, name]) => [id, name])).toEqual([
      ['b', 'Changed'],
      ['c', 'Changed'],
    ])
    expect(counts()).toEqual({ records: 5, changed: 3, setAside: 0 })
  })

  it('of another company stays as it is', async () => {
    await publish([account('a', 'A')])
    const mine = { companyId, connectionId, run }
    companyId = await addCompany(harness.deps.database, harness.instanceId)
    connectionId = await companyActions(harness.deps, harness.instanceId, companyId).connect(books)
    await begin()
    await stage([account('a', 'A')])
    expect(await staged(), 'nothing is published for this one').toEqual([['a', 'A', 0]])
    ;({ companyId, connectionId, run } = mine)
    expect(await staged()).toEqual([])
  })
})

describe('a record that cannot be read', () => {
  it('is set aside with its reason and place, and the others are staged', async () => {
    await publish([account('a', 'A')])
    const rawPageId = randomUUID()
    await stage([{ id: 'x', name: 7 }, { id: 'y', name: 'Y', isNameless: true }, account('b', 'B')], { rawPageId })
    expect([await staged(), counts()]).toEqual([[['b', 'B', 2]], { records: 1, changed: 1, setAside: 2 }])
    const rows = await query(
      'select orig_id as "origId", reason, raw_page_id as page, raw_index as at from quarantined_records where run_id = $1 order by raw_index',
      [run.id],
    )
    expect(rows).toEqual([
      { origId: 'x', reason: expect.stringContaining('/name'), page: rawPageId, at: 0 },
      { origId: `#${rawPageId}/1`, reason: 'no id', page: rawPageId, at: 1 },
    ])
  })
})

describe('a page', () => {
  it('says which records it listed, by the beginnings of their ids', async () => {
    await publish([account('a', 'A'), account('b', 'B')])
    const seen = await stage([account('b', 'B'), removed('a'), { id: '', name: '', isNameless: true }, { id: 'x', name: 7 }])
    expect(Buffer.from(seen)).toEqual(Buffer.concat([idPrefix(idOf('b')), UNKNOWN_ID, idPrefix(idOf('x'))]))
    const known = readSeen([seen.subarray(0, 8), seen.subarray(8)])
    expect(['a', 'b', 'x', 'z'].map((id) => isSeen(known, idOf(id)))).toEqual([false, true, true, false])
    expect([known.size, readSeen([]).size]).toEqual([3, 0])
  })

  it('counts each value that the mapping does not know', async () => {
    await publish([account('a', 'A')])
    await stage([account('b', 'odd one'), account('c', 'odd one'), account('d', 'odd two')])
    expect(run.unmapped).toEqual([
      { entity: 'Accounts', field: 'typeSystem', word: 'odd one', count: 2 },
      { entity: 'Accounts', field: 'typeSystem', word: 'odd two', count: 1 },
    ])
  })

  it('of any length is staged in parts, each record with its place', async () => {
    await publish([account('0001', 'Same')])
    const listed = Array.from({ length: 2_001 }, (_, n) => account(String(n).padStart(4, '0'), n === 1 ? 'Same' : `N ${n}`))
    const seen = await stage([...listed, { id: 'x', name: 7 }])
    const rows = await staged()
    expect([rows.length, rows.every(([id, , at]) => Number(id) === at), seen.length]).toEqual([2_000, true, 8 * 2_002])
    expect(counts()).toEqual({ records: 2_001, changed: 2_000, setAside: 1 })
    expect(await query('select raw_index as at from quarantined_records where run_id = $1', [run.id])).toEqual([{ at: 2_001 }])
  })

  it('without records stages nothing', async () => {
    await publish([account('a', 'A')])
    expect([(await stage([])).length, await staged(), counts()]).toEqual([0, [], { records: 0, changed: 0, setAside: 0 }])
  })

  it('that is closed before it is written leaves nothing', async () => {
    await publish([account('a', 'A')])
    const staging = new PageStaging(request([account('b', 'B')]))
    await staging.readFirst()
    await staging.close()
    expect([await staged(), counts()]).toEqual([[], { records: 0, changed: 0, setAside: 0 }])
  })
})

describe('a page of the first run', () => {
  const first = { isFirst: true }
  beforeEach(begin)

  it('is written where readers will find it, and not staged', async () => {
    await stage([account('a', 'A'), account('b', 'B'), removed('c')], first)
    expect([await written(), await staged(), counts()]).toEqual([
      [
        ['a', 'A', 0],
        ['b', 'B', 1],
      ],
      [],
      { records: 3, changed: 2, setAside: 0 },
    ])
  })

  it('writes over a record of an earlier page that is not newer, and removes what it removes', async () => {
    await stage([account('a', 'A'), account('b', 'B', '5'), account('c', 'C'), account('d', 'D')], first)
    await stage([account('a', 'Later'), account('b', 'Older', '4'), removed('c'), removed('never')], first)
    expect(await written()).toEqual([
      ['a', 'Later', 0],
      ['b', 'B', 1],
      ['d', 'D', 3],
    ])
  })
})
