import { randomUUID } from 'node:crypto'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { registerCountMetrics, registerPoolMetrics } from '../../src/metrics/database.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { companyActions, openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

let harness: SyncHarness
let books: ScriptedSource
let registry: Registry
beforeEach(async () => {
  books = new ScriptedSource('books')
  books.accounts = [{ id: 'cash', name: 'Cash' }]
  harness = await openSyncHarness([books])
  registry = new Registry()
})
afterEach(async () => await harness.close())

it('connections are counted by status over all instances, without names', async () => {
  const { database } = harness.deps
  const other = { instanceId: randomUUID(), companyId: randomUUID() }
  await createInstance(database, { id: other.instanceId, name: 'Other Lender' })
  await addCompany(database, other.instanceId, { id: other.companyId })
  await harness.sync(await harness.connect(books))
  await companyActions(harness.deps, other.instanceId, other.companyId).connect(books)
  registerCountMetrics(registry, database)
  const text = await registry.getSingleMetricAsString('countinghouse_connections')
  expect(text.split('\n').slice(2).toSorted()).toEqual([
    'countinghouse_connections{status="Authorized"} 1',
    'countinghouse_connections{status="Structured"} 1',
  ])
})

it('the pool of the process shows open and idle connections, and waiting requests', async () => {
  const { database } = harness.deps
  registerPoolMetrics(registry, database)
  const held = await Promise.all(Array.from({ length: 10 }, () => database.connect()))
  const waiting = database.connect()
  const text = await registry.metrics()
  for (const client of held) client.release()
  ;(await waiting).release()
  expect(text).toContain('countinghouse_database_pool_connections 10')
  expect(text).toContain('countinghouse_database_pool_max_connections 10')
  expect(text).toContain('countinghouse_database_pool_idle_connections 0')
  expect(text).toContain('countinghouse_database_pool_waiting_requests 1')
})
