import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { findTenantSource, listTenantSources } from '../../src/sync/sources/tenant-sources.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  return { database, close: drop }
})
const describeSource = (key: string, more: Partial<ConnectorDescription> = {}) => ({ ...new ScriptedSource(key).description, ...more })
const SOURCES = createSources([describeSource('books'), describeSource('fictional-bank', { isExample: true })], {
  settings: {},
  simulators: { books: { servedAt: 'http://127.0.0.1:9999' } },
  createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('this source does no HTTP')), app, hosts, now: () => new Date(0) }),
})

async function keysOf(instanceId: string): Promise<string[]> {
  return (await listTenantSources(opened.database, SOURCES, instanceId)).map(({ description }) => description.key)
}

it('a test instance has fictional banks, and a live one has none, each time it is asked', async () => {
  const { database } = opened
  const [test, live] = [await addInstance(database), await addInstance(database)]
  await database.query(`update instances set kind = case when id = $1 then 'test' else 'live' end where id in ($1, $2)`, [test, live])
  for (let time = 0; time < 2; time += 1) {
    expect([await keysOf(test), await keysOf(live)]).toEqual([['books', 'fictional-bank'], ['books']])
    expect((await findTenantSource(database, SOURCES, test, 'fictional-bank'))?.description.key).toBe('fictional-bank')
    expect(await findTenantSource(database, SOURCES, live, 'fictional-bank')).toBeNull()
  }
})

it('an instance that does not exist, or not yet, has none either, until it does', async () => {
  const id = randomUUID()
  expect(await keysOf(id)).toEqual(['books'])
  await opened.database.query(`insert into instances (id, name, kind) values ($1, 'Later', 'test')`, [id])
  expect(await keysOf(id)).toEqual(['books', 'fictional-bank'])
})

it('a source that is not in the catalogue is none', async () => {
  expect(await findTenantSource(opened.database, SOURCES, randomUUID(), toServiceId('books'))).toBeNull()
})
