import { beforeEach, describe, expect, it } from 'vitest'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('books')
const bank = new ScriptedSource('bank', 'Banking')
const harness = openForTests(() => openSyncHarness([books, bank]))

beforeEach(async () => {
  for (const source of [books, bank])
    source.accounts = [
      { id: '1', name: 'Cash', balance: '1.00' },
      { id: '2', name: 'Savings', balance: '2.00' },
    ]
  await clear()
})

async function list(sql: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ it: string }>(sql, values)
  return rows.map((row) => row.it)
}

async function clear(): Promise<void> {
  for (const table of ['events', 'jobs', 'publication_changes']) await harness.deps.database.query(`delete from ${table}`)
}

const queued = () => list(`select distinct kind as it from jobs where kind in ('accountMatches', 'coverage') order by kind`)
const storedEvents = () => list('select kind as it from events order by kind')
const announced = () => list('select (made_at is not null)::text as it from publication_changes')

/** A connection that has published once. */
async function connected(source: ScriptedSource): Promise<string> {
  const id = await harness.connect(source)
  await harness.sync(id, { reason: 'first' })
  return id
}

async function end(source: ScriptedSource, id: string): Promise<void> {
  await disconnect(harness.deps, harness.scopeOf(source))
  await harness.erase(id)
  await clear()
}

it.each([
  ['accounting', books, ['coverage']],
  ['banking', bank, ['accountMatches', 'coverage']],
] as const)('what is new is counted, and accounts are compared with those of other banks: %s', async (_category, source, jobs) => {
  const id = await harness.connect(source)
  await clear()
  await harness.sync(id, { reason: 'first' })
  const first = [await queued(), await storedEvents(), await announced()]
  await clear()
  await harness.sync(id)
  const unchanged = [await queued(), await storedEvents(), await announced()]
  source.accounts = [{ id: '1', name: 'Cash, renamed', balance: '1.00' }, ...source.accounts.slice(1)]
  await harness.sync(id)
  const changed = [await queued(), await storedEvents(), await announced()]
  const PUBLISHED = ['NormalizedData', 'RawData', 'ReadyToUseData']
  // What is published for the first time is not a change of accounts, and no process has anything of it in its cache.
  expect(first).toEqual([jobs, PUBLISHED, []])
  expect(unchanged, 'nothing is queued, told or announced').toEqual([[], [], []])
  expect(changed).toEqual([jobs, ['AccountsChanged', ...PUBLISHED], ['true']])
  await end(source, id)
})

it('the timeline says how many pages and records were read, changed, deleted and set aside', async () => {
  books.pageSize = 2
  books.accounts = [...books.accounts, { id: '3', name: 'Third' }, ...many(60), { id: 'odd', name: 5 }]
  const id = await connected(books)
  const details = async () => {
    const timeline = await listTimeline(harness.deps.database, harness.instanceId, id)
    return timeline.map(({ toStatus, detail }) => [toStatus, detail]).filter(([, detail]) => detail !== '')
  }
  expect(await details()).toEqual(
    expect.arrayContaining([
      [12, '32 pages'],
      [15, '63 records read, 63 changed, 0 deleted, 1 set aside'],
    ]),
  )
  expect(
    await list(`select detail_code as it from connection_timeline where connection_id = $1 and to_status in (12, 15) order by at`, [id]),
  ).toEqual(['pages', 'counts'])
  books.pageSize = 1_000
  await end(books, id)
})

function many(count: number) {
  return Array.from({ length: count }, (_value, index) => ({ id: `many ${index}`, name: 'Many' }))
}

it('books are read again by the schedule, uploaded files only when there are more', async () => {
  const isDue = (id: string) =>
    list("select (update_scheduled_at < clock_timestamp() + interval '10 years')::text as it from connections where id = $1", [id])
  const id = await connected(books)
  expect(await isDue(id)).toEqual(['true'])
  const { connector } = books
  const upload = {
    step: 'upload' as const,
    accept: [],
    maxBytes: 1,
    reader: new URL('data:text/javascript,export const reader = { read: () => [] }'),
  }
  Object.defineProperty(books, 'connector', { configurable: true, value: { ...connector, authorize: upload } })
  try {
    await harness.sync(id)
  } finally {
    Reflect.deleteProperty(books, 'connector')
  }
  expect(await isDue(id)).toEqual(['false'])
  await end(books, id)
})

it('deletions that somebody has confirmed are confirmed for that listing only, not for later ones', async () => {
  const id = await connected(books)
  const accepts = () => list('select accepts_deletions::text as it from connections where id = $1', [id])
  await harness.deps.database.query('update connections set accepts_deletions = true where id = $1', [id])
  books.listing = 'changes'
  await harness.sync(id)
  expect(await accepts(), 'a listing of changes confirms nothing').toEqual(['true'])
  books.listing = 'complete'
  await harness.sync(id)
  expect(await accepts()).toEqual(['false'])
  await end(books, id)
})

describe('a connection whose owner has signed in again', () => {
  const waits = (id: string) => list('select reidentify::text as it from connections where id = $1', [id])
  const signIn = (id: string) => harness.deps.database.query('update connections set reidentify = true where id = $1', [id])

  it('is as before after its next sync, where accounts keep their ids', async () => {
    const id = await connected(books)
    await signIn(id)
    books.listing = 'changes'
    await harness.sync(id)
    expect(await waits(id)).toEqual(['false'])
    books.listing = 'complete'
    await end(books, id)
  })

  it('waits for a complete listing in which every account could be read, where they may get others', async () => {
    const id = await connected(bank)
    await signIn(id)
    const { connector } = bank
    const reidentify = { account: () => null, renumbersTransactions: false }
    Object.defineProperty(bank, 'connector', { configurable: true, value: { ...connector, reidentify } })
    try {
      const all = [...bank.accounts, ...many(60)]
      bank.accounts = all
      bank.listing = 'changes'
      await harness.sync(id)
      expect(await waits(id), 'only changes were listed').toEqual(['true'])
      bank.listing = 'complete'
      bank.accounts = [...all, { id: 'odd', name: 5 }]
      await harness.sync(id)
      expect(await waits(id), 'one was set aside').toEqual(['true'])
      bank.accounts = all
      await harness.sync(id)
      expect(await waits(id)).toEqual(['false'])
    } finally {
      Reflect.deleteProperty(bank, 'connector')
    }
    await end(bank, id)
  })
})
