import { beforeAll, beforeEach, expect, it } from 'vitest'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { openForTests } from '../harness/for-tests.ts'
import { readRecords } from '../harness/read-records.ts'
import { openSyncHarness } from './harness.ts'
import { type ScriptedAccount, ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('changing-books')
const harness = openForTests(() => openSyncHarness([books]))
let id = ''

beforeAll(async () => {
  id = await harness.connect(books)
  books.listing = 'changes'
})

const account = (version: string): ScriptedAccount => ({ id: '1000', name: `of ${version}`, version })

async function publish(...page: ScriptedAccount[]): Promise<void> {
  books.accounts = page
  await harness.sync(id)
}

async function names(): Promise<unknown[]> {
  const scope = harness.scopeOf(books)
  const columns = recordColumns('Accounting', 'Accounts')
  const page = await readRecords(harness.deps.database, scope, { entity: 'Accounts', columns })
  return page?.records.map(({ name }) => name) ?? []
}

beforeEach(async () => {
  await publish(account('2026-02-01'))
  await publish({ id: '1000', name: '', isRemoved: true })
  expect(await names()).toEqual([])
})

it('a late older page does not restore what the source has removed', async () => {
  await publish(account('2026-01-01'))
  expect(await names()).toEqual([])
})

it('what the source has restored since returns under its id', async () => {
  await publish(account('2026-03-01'))
  expect(await names()).toEqual(['of 2026-03-01'])
})

it('an older page of the run that removes a record does not undo the removal', async () => {
  await publish(account('2026-03-01'))
  books.pageSize = 1
  await publish({ id: '1000', name: '', isRemoved: true }, account('2026-01-01'))
  expect(await names()).toEqual([])
})

it('a complete listing in which a record has no id deletes nothing, since it may be any of the missing ones', async () => {
  await publish(...['1001', '1002', '1003'].map((id) => ({ id, name: id })))
  books.listing = 'complete'
  await publish({ id: '1001', name: '1001' }, { id: '1002', name: '1002' }, { id: '', name: '1003', isNameless: true })
  expect(await names()).toEqual(['1001', '1002', '1003'])
  await publish({ id: '1001', name: '1001' }, { id: '1002', name: '1002' })
  expect(await names(), 'as soon as all have an id').toEqual(['1001', '1002'])
})
