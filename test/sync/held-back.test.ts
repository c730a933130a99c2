import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { listRuns } from '../../src/store/connections/sync-runs.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { acceptDeletions } from '../../src/sync/connection/connection-actions.ts'
import { readRecords } from '../harness/read-records.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('shrinking-books')
let harness: SyncHarness
let id = ''
beforeAll(async () => {
  harness = await openSyncHarness([books])
  id = await harness.connect(books)
})
afterAll(async () => await harness.close())

const scope = () => ({ instanceId: harness.instanceId, companyId: harness.companyId, serviceId: harness.serviceId(books) })
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
  const [run] = await listRuns(harness.deps.database, harness.instanceId, id, 1)
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
