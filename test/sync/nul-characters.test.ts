import { expect, it } from 'vitest'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { openForTests } from '../harness/for-tests.ts'
import { readRecords } from '../harness/read-records.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('books-with-nul')
const harness = openForTests(() => openSyncHarness([books]))

it('a NUL character in a name, an id or an unknown word of a source stops no sync', async () => {
  books.accounts = [
    { id: '1', name: 'Petite\0 caisse' },
    { id: '2\0', name: 'odd\0' },
  ]
  const id = await harness.connect(books)
  await harness.sync(id)
  const scope = harness.scopeOf(books)
  const page = await readRecords(harness.deps.database, scope, { entity: 'Accounts', columns: recordColumns('Accounting', 'Accounts') })
  const shown = (page?.records ?? []).map(({ origId, name }) => [origId, name])
  expect(shown.toSorted()).toEqual([
    ['1', 'Petite caisse'],
    ['2', 'odd'],
  ])
})
