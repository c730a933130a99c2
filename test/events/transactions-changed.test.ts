import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CrashHarness, openCrashHarness } from '../crash/harness.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'

let opened: TestDatabase
let harness: CrashHarness

beforeEach(async () => {
  opened = await testDatabase()
  harness = await openCrashHarness(opened.database, opened.url, 7)
})
afterEach(async () => {
  await harness.close()
  await opened.drop()
})

const entry = (id: string, name: string) => harness.provider.put('entries', { id, name, kind: 'asset', isBroken: false })

async function events(): Promise<unknown[]> {
  const { rows } = await opened.database.query<{ kind: string; data: { ChangeCount: number; DeletedCount?: number } }>(
    `select kind, body::json -> 'Data' as data from events where kind in ('AccountsChanged', 'TransactionsChanged') order by created_at`,
  )
  return rows.map(({ kind, data }) => [kind, data.ChangeCount, data.DeletedCount])
}

const read = async () => {
  await harness.refreshAll()
  await harness.finish()
}

it('TransactionsChanged counts what a publication changed, and is raised by nothing else', async () => {
  for (const id of ['1', '2', '3', '4', '5', '6', '7', '8']) entry(id, `Entry ${id}`)
  await harness.connect(await harness.addCompany())
  await harness.finish()
  expect(await events(), 'after the first data').toEqual([])
  await read()
  expect(await events(), 'after a reading without changes').toEqual([])
  entry('1', 'Changed')
  entry('9', 'New')
  harness.provider.remove('entries', '3')
  await read()
  expect(await events()).toEqual([['TransactionsChanged', 3, 1]])
  harness.provider.put('accounts', { id: 'a', name: 'Account', kind: 'asset', isBroken: false })
  await read()
  expect(await events(), 'after a change of accounts alone').toEqual([
    ['TransactionsChanged', 3, 1],
    ['AccountsChanged', 1, undefined],
  ])
})
