import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { showSources } from '../../src/metrics/sources.ts'
import { createSourceGate } from '../../src/sync/rate-limits/source-gate.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { answer } from './two-gates.ts'

let home: TestDatabase
beforeEach(async () => {
  home = await testDatabase()
})
afterEach(async () => await home.drop())

it('the metrics tell how many calls are left and which sources are left alone, and never whose books', async () => {
  const gate = createSourceGate(home.database, { onError: () => undefined })
  const metrics = new Registry()
  showSources(metrics, home.database, gate.waiting)
  const limits = [{ name: 'day', scope: 'entity', calls: 100, perMs: 86_400_000 }] as const
  const call = { connectorKey: 'books', limits, timeoutMs: 1_000 }
  for (let index = 0; index < 20; index++) {
    await gate.pass({ ...call, entity: 'bakery', place: { host: 'api' } }, async () => answer(200))
    await gate.pass({ ...call, entity: 'garage', place: { origin: 'https://garage.example' } }, async () => answer(500))
  }
  await gate.close()
  const text = await metrics.metrics()
  expect(text).toContain('countinghouse_source_calls_left{connector="books",limit="day"} 80')
  expect(text).toContain('countinghouse_source_breaker{connector="books",place="api"} 0')
  expect(text).toContain('countinghouse_source_breaker{connector="books",place="other"} 2')
  expect(text).toContain('countinghouse_source_calls_waiting{connector="books"} 0')
  expect(text).not.toMatch(/bakery|garage/)
})
