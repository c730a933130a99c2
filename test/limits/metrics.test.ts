import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { registerSourceMetrics, registerWaitingCalls } from '../../src/metrics/sources.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { answer } from './two-limiters.ts'

let home: TestDatabase
beforeEach(async () => {
  home = await testDatabase()
})
afterEach(async () => await home.drop())

it('the metrics show the remaining calls and the paused sources, and never whose books', async () => {
  const limiter = new SharedRateLimiter(home.database, { onError: () => undefined })
  const metrics = new Registry()
  registerSourceMetrics(metrics, home.database)
  registerWaitingCalls(metrics, () => limiter.waiting())
  const limits = [{ name: 'day', scope: 'entity', calls: 100, perMs: 86_400_000 }] as const
  const call = { connectorKey: 'books', limits, timeoutMs: 1_000 }
  for (let index = 0; index < 20; index++) {
    await limiter.run({ ...call, entity: 'bakery', place: { host: 'api' } }, async () => answer(200))
    await limiter.run({ ...call, entity: 'garage', place: { origin: 'https://garage.example' } }, async () => answer(500))
  }
  await limiter.close()
  const text = await metrics.metrics()
  expect(text).toContain('countinghouse_source_calls_left{connector="books",limit="day"} 80')
  expect(text).toContain('countinghouse_source_breaker{connector="books",place="api"} 0')
  expect(text).toContain('countinghouse_source_breaker{connector="books",place="other"} 2')
  expect(text).toContain('countinghouse_source_calls_waiting{connector="books"} 0')
  expect(text).not.toMatch(/bakery|garage/)
})
