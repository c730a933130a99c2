import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Pull } from '../../src/connectors/contract/contract.ts'
import { Status } from '../../src/model/statuses.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { acceptDeletions } from '../../src/sync/connection/connection-actions.ts'
import { quarantineOf, runsOf } from '../harness/app/runs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { readRecords } from '../harness/read-records.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('shrinking-books')
const harness = openForTests(() => openSyncHarness([books]))
let id = ''
beforeAll(async () => {
  id = await harness.connect(books)
})

const scope = () => harness.scopeOf(books)
/** A complete listing of the accounts with these numbers; returns the numbers that are there afterwards. */
async function list(...numbers: number[]): Promise<number[]> {
  books.accounts = numbers.map((number) => ({ id: String(number), name: `Account ${number}` }))
  await harness.sync(id)
  return await present()
}
async function present(): Promise<number[]> {
  const columns = recordColumns('Accounting', 'Accounts')
  const page = await readRecords(harness.deps.database, scope(), { entity: 'Accounts', columns })
  return (page?.records ?? []).map(({ origId }) => Number(origId)).toSorted((a, b) => a - b)
}
async function lastRun() {
  const [run] = await runsOf(harness, id, 1)
  const { deleted, heldBack } = run?.counts ?? {}
  return { state: run?.state, deleted, heldBack }
}
async function connection() {
  const { rows } = await harness.deps.database.query<{ status: number; accepts: boolean; fault: string | null }>(
    `select c.status, c.accepts_deletions as accepts, c.fault_code as fault from connections c where c.id = $1`,
    [id],
  )
  return rows[0]
}

beforeEach(async () => {
  books.listing = 'complete'
  if ((await present()).length > 4) return
  expect(await list(1, 2, 3, 4)).toEqual([1, 2, 3, 4])
})

it('half of the records may be missing from a complete listing: they are deleted', async () => {
  expect([await list(1, 2), await lastRun()]).toEqual([[1, 2], { state: 'published', deleted: 2, heldBack: 0 }])
})

it('more than half are kept, and the connection says so, until a listing has them again', async () => {
  expect([await list(1), await lastRun()]).toEqual([[1, 2, 3, 4], { state: 'unchanged', deleted: 0, heldBack: 3 }])
  expect(await connection()).toMatchObject({ status: Status.Structured, fault: 'deletionsHeldBack' })
  expect([await list(1, 2, 3, 4), await lastRun()]).toEqual([[1, 2, 3, 4], { state: 'unchanged', deleted: 0, heldBack: 0 }])
  expect(await connection()).toMatchObject({ fault: null })
})

it('more than half are deleted once somebody has confirmed it, by the next complete listing and not by one of changes', async () => {
  await acceptDeletions(harness.deps, scope())
  books.listing = 'changes'
  expect([await list(1), await connection()]).toEqual([[1, 2, 3, 4], expect.objectContaining({ accepts: true })])
  books.listing = 'complete'
  expect([await list(1), await connection()]).toEqual([[1], expect.objectContaining({ accepts: false, fault: null })])
  expect(await lastRun()).toEqual({ state: 'published', deleted: 3, heldBack: 0 })
})

it('a listing of changes deletes nothing that it does not name', async () => {
  books.listing = 'changes'
  expect([await list(1, 2, 3), await lastRun()]).toEqual([[1, 2, 3, 4], { state: 'unchanged', deleted: 0, heldBack: 0 }])
})

it('a listing of several pages is complete when all of its pages are', async () => {
  books.pageSize = 1
  expect(await list(1, 2, 3)).toEqual([1, 2, 3])
  books.pageSize = 1_000
})

it('what is not there any more counts neither as missing nor as there', async () => {
  expect(await list(1, 2)).toEqual([1, 2])
  // One of two, not three of four.
  expect([await list(1), await lastRun()]).toEqual([[1], { state: 'published', deleted: 1, heldBack: 0 }])
})

it('a complete listing of one kind of record says nothing of another, whose listing tells changes only', async () => {
  const { connector } = books
  const [accounts] = connector.pulls
  if (!accounts) throw new Error('the source has no pull')
  const transactions: Pull = {
    ...{ name: 'transactions', delivers: ['Transactions'], read: () => [] },
    fetch: async () => ({ answers: { list: Buffer.from('[]') }, next: null, listing: 'complete' }),
  }
  Object.defineProperty(books, 'connector', { configurable: true, value: { ...connector, pulls: [accounts, transactions] } })
  try {
    books.listing = 'changes'
    expect([await list(1), await lastRun()]).toEqual([[1, 2, 3, 4], { state: 'unchanged', deleted: 0, heldBack: 0 }])
  } finally {
    Reflect.deleteProperty(books, 'connector')
  }
})

it('a record that was set aside is released by a complete listing that can read it or no longer has it, and by no other', async () => {
  const setAside = async () => (await quarantineOf(harness, id)).map(({ origId }) => origId)
  const listWith = async (...odd: [id: string, name: unknown][]) => {
    books.accounts = [
      ...[1, 2, 3, 4].map((number) => ({ id: String(number), name: `Account ${number}` })),
      ...odd.map(([key, name]) => ({ id: key, name })),
    ]
    await harness.sync(id)
    return await setAside()
  }
  const many = Array.from({ length: 80 }, (_value, index): [string, unknown] => [`more ${index}`, 'More'])
  expect(await listWith(...many, ['x', 5], ['y', 5])).toEqual(['x', 'y'])
  books.listing = 'changes'
  expect(await listWith(...many)).toEqual(['x', 'y'])
  books.listing = 'complete'
  expect(await listWith(...many, ['x', 'Now a text'], ['z', 5])).toEqual(['z'])
  expect(await listWith(...many, ['x', 'Now a text'])).toEqual([])
  await acceptDeletions(harness.deps, scope())
  await list(1, 2, 3, 4)
})

it('what is missing is counted over all records, however many there are', async () => {
  const { rowCount } = await harness.deps.database.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id,
       raw_index, mapping_version)
     select instance_id, company_id, service_id, entity, gen_random_uuid(), valid_from, 'copy ' || n, connection_id, doc, content_hash, 'copy ' || n, run_id,
       raw_index, mapping_version
     from record_versions, generate_series(1, 20001) n where connection_id = $1 and orig_id = '1' and valid_to is null`,
    [id],
  )
  await list(1, 2, 3, 4)
  expect([rowCount, await lastRun()]).toEqual([20_001, { state: 'unchanged', deleted: 0, heldBack: 20_001 }])
})
