import { beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { quarantineOf, runsOf } from '../harness/app/runs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type CompanyActions, companyActions, openSyncHarness } from '../sync/harness.ts'
import { type ScriptedAccount, ScriptedSource } from '../sync/scripted-source.ts'

const [books, bank] = [new ScriptedSource('books'), new ScriptedSource('bank', 'Banking')]
const harness = openForTests(() => openSyncHarness([books, bank]))
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows

let companyId: string
let actions: CompanyActions
let id: string
beforeEach(async () => {
  harness.deps.readLeaseMs = 0
  companyId = await addCompany(harness.deps.database, harness.instanceId)
  actions = companyActions(harness.deps, harness.instanceId, companyId)
  for (const source of [books, bank]) Object.assign(source, { listing: 'complete', accounts: named('a', 'b', 'c', 'd') })
})

const named = (...ids: string[]): ScriptedAccount[] => ids.map((one) => ({ id: one, name: `Account ${one}` }))
async function connect(source: ScriptedSource, isSynced = true): Promise<void> {
  id = await actions.connect(source)
  if (isSynced) await actions.sync(id, { reason: 'first' })
  await forget()
}
const forget = async () => {
  await query('delete from jobs')
  await query('delete from events where session_id = $1', [id])
}
const sync = (options: { isAwaited?: boolean; reason?: string } = {}) => actions.sync(id, options)
const current = async () =>
  (
    await query('select orig_id as id from record_versions where connection_id = $1 and valid_to is null and not deleted order by 1', [id])
  ).map((row) => row.id)
const connection = async () => (await query('select to_jsonb(c) as row from connections c where id = $1', [id]))[0]?.row
const timeline = async () =>
  await query(
    `select to_status as to, detail_code as code, detail, detail_parts as parts from connection_timeline where connection_id = $1 order by at, id`,
    [id],
  )
const jobs = async () => (await query(`select kind from jobs where kind not in ('sync') order by kind`)).map(({ kind }) => kind)
const events = async () =>
  (await query('select kind, body from events where session_id = $1 order by kind', [id])).map(({ kind, body }) => [
    kind,
    JSON.parse(body).Data.IssuedAs,
  ])
const lastRun = async () => (await runsOf(harness, id, 1))[0]
const ALL_READY = ['NormalizedData', 'RawData', 'ReadyToUseData']

describe('a first publication', () => {
  it.each([
    ['of books', books, [], [Status.Loaded, Status.Structuring, Status.Structured]],
    [
      'of a bank',
      bank,
      ['accountMatches'],
      [Status.Loaded, Status.Structuring, Status.Structured, Status.Processing, Status.Processed, Status.Synced],
    ],
  ])('%s tells its steps and counts, and what has to follow', async (_what, source, follows, steps) => {
    await connect(source, false)
    source.accounts.push({ id: 'x', name: 'X', isRemoved: true })
    await sync({ reason: 'first' })
    const told = (await timeline()).slice(-steps.length)
    expect(told.map(({ to }) => to)).toEqual(steps)
    const counts = { pages: 1, records: 5, changed: 4, setAside: 0, deleted: 0, heldBack: 0, reidentified: 0, unclear: 0 }
    expect(told).toMatchObject([
      { code: 'pages', detail: '1 pages', parts: { pages: 1 } },
      {},
      { code: 'counts', detail: '5 records read, 4 changed, 0 deleted, 0 set aside', parts: counts },
      ...steps.slice(3).map(() => ({})),
    ])
    expect(await jobs()).toEqual([...follows, 'coverage'].sort())
    expect(await events(), 'no reader had anything that changed').toEqual(ALL_READY.map((kind) => [kind, 'Manual']))
    expect(await lastRun()).toMatchObject({ state: 'published', counts })
  })
})

describe('a refresh', () => {
  it.each([
    [false, []],
    [true, ALL_READY.map((kind) => [kind, 'Manual'])],
  ])('without changes writes and tells nothing, unless somebody asked for it (%s)', async (isAwaited, told) => {
    await connect(bank)
    await query('update connections set update_scheduled_at = clock_timestamp() where id = $1', [id])
    const before = await connection()
    await sync({ isAwaited, reason: 'refresh' })
    expect([await events(), await jobs(), (await lastRun())?.state]).toEqual([told, [], 'unchanged'])
    const after = await connection()
    expect([after.published_at === before.published_at, after.last_read_at > before.last_read_at]).toEqual([true, true])
    expect(after.update_scheduled_at > before.update_scheduled_at, 'it is read again later').toBe(true)
  })

  it('with changes tells them, as what made it', async () => {
    await connect(bank)
    bank.accounts = named('a', 'b', 'c', 'd', 'e')
    await sync({ reason: 'schedule' })
    expect(await events()).toEqual([...ALL_READY, 'AccountsChanged'].sort().map((kind) => [kind, 'Scheduled']))
    expect([await jobs(), await current()]).toEqual([
      ['accountMatches', 'coverage'],
      ['a', 'b', 'c', 'd', 'e'],
    ])
  })

  it('ends a fault, and brings the connection back to rest', async () => {
    await connect(bank)
    await query('update connections set status = $2 where id = $1', [id, Status.LoadingError])
    await sync()
    expect(await connection()).toMatchObject({ status: Status.Synced })
  })
})

describe('records that a complete list lacks', () => {
  const HELD_BACK = 'records are missing at the source, too many at once to be believed: they are kept'

  it.each([
    ['a half', ['a', 'b'], ['a', 'b'], 2, 0],
    ['more than a half', ['a'], ['a', 'b', 'c', 'd'], 0, 3],
    ['all', [], ['a', 'b', 'c', 'd'], 0, 4],
    ['none', ['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd'], 0, 0],
  ])('are deleted unless they are more than a half: %s', async (_what, listed, left, deleted, heldBack) => {
    await connect(books)
    books.accounts = named(...listed)
    await sync()
    expect([await current(), await lastRun()]).toMatchObject([
      left,
      { state: deleted > 0 ? 'published' : 'unchanged', counts: { deleted, heldBack } },
    ])
    expect(JSON.stringify(await connection()).includes(`${heldBack} ${HELD_BACK}`)).toBe(heldBack > 0)
    books.accounts = named('a', 'b', 'c', 'd')
    await sync()
    expect(JSON.stringify(await connection()), 'a later list that is whole ends the fault').not.toContain(HELD_BACK)
  })

  it('are deleted however many where somebody has said so, once', async () => {
    await connect(books)
    await query('update connections set accepts_deletions = true where id = $1', [id])
    books.listing = 'changes'
    books.accounts = named('a')
    await sync()
    expect([await current(), (await connection()).accepts_deletions], 'a list of changes lacks nothing').toEqual([
      ['a', 'b', 'c', 'd'],
      true,
    ])
    books.listing = 'complete'
    await sync()
    expect([await current(), (await connection()).accepts_deletions]).toEqual([['a'], false])
    books.accounts = []
    await sync()
    expect(await current()).toEqual(['a'])
  })

  it('are not known where one was listed without its id', async () => {
    await connect(books)
    books.accounts = [
      ...named(...'abc'),
      ...Array.from({ length: 40 }, (_, n) => named(`n${n}`)).flat(),
      { id: '', name: '', isNameless: true },
    ]
    await sync()
    expect((await current()).includes('d')).toBe(true)
    expect(await lastRun()).toMatchObject({ counts: { deleted: 0, heldBack: 0, setAside: 1 } })
  })
})

describe('a record that was set aside', () => {
  it('is released by a complete list in which it can be read or is gone, and by no other', async () => {
    const many = named(...Array.from({ length: 40 }, (_, n) => `m${n}`))
    books.accounts = [...many, { id: 'bad', name: 7 }]
    await connect(books)
    expect(await quarantineOf(harness, id)).toHaveLength(1)
    Object.assign(books, { listing: 'changes', accounts: many.slice(0, 1) })
    await sync()
    expect(await quarantineOf(harness, id)).toHaveLength(1)
    Object.assign(books, { listing: 'complete', accounts: many })
    await sync()
    expect(await quarantineOf(harness, id)).toEqual([])
  })
})
