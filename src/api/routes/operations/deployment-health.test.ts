import { expect, it } from 'vitest'
import { databaseForTests } from '../../../../test/harness/for-tests.ts'
import type { RouteDeps } from '../route-deps.ts'
import { readDeploymentHealth } from './deployment-health.ts'

const opened = databaseForTests()

/** Sources by key, of which health reads key, name and environment. */
function healthOf(keys: readonly string[]) {
  const sources = new Map(keys.map((key) => [key, { description: { key, name: `The ${key}` }, environment: 'sandbox' }]))
  const deps = { database: opened.database, sync: { sources } } as unknown as Pick<RouteDeps, 'database' | 'sync'>
  return readDeploymentHealth(deps)
}

it('a source is told with its worst breaker, its fewest calls left, its pause and its alarm; others are left out', async () => {
  const query = (statement: string) => opened.database.query(statement)
  await query(
    `insert into workers (id, slots) values ('00000000-0000-0000-0000-000000000001', 3), ('00000000-0000-0000-0000-000000000002', 4)`,
  )
  await query(`insert into source_breakers (connector_key, endpoint, state, updated_at) values ('books', 'a', 'closed', now()),
    ('books', 'b', 'open', now()), ('books#app', 'c', 'half-open', now()), ('half', 'a', 'closed', now()), ('half', 'b', 'half-open', now()),
    ('shut', 'a', 'closed', now()), ('elsewhere', 'a', 'open', now())`)
  await query(`insert into source_limits (connector_key, scope, name, calls, per_ms, updated_at) values ('books', '', 'minute', 9, 60000, now()),
    ('books#app', 'x', 'minute', 5, 60000, now()), ('books', '', 'day', 7, 86400000, now()), ('limited', '', 'day', 2, 86400000, now())`)
  await query(
    `insert into source_pauses (connector_key, scope, until) values ('paused#app', '', '2126-11-20T12:00:00Z'), ('paused', 'x', '2126-11-19T12:00:00Z')`,
  )
  await query(
    `insert into source_alarms (connector_key, client_hash, message, retry_at) values ('alarm', '\\x01', 'refused', now()), ('quiet#app', '\\x01', 'refused', now())`,
  )
  const { workers, sources, storage } = await healthOf(['books', 'half', 'shut', 'limited', 'paused', 'alarm', 'quiet', 'book'])
  const usual = { environment: 'sandbox', isRefusingKeys: false, pausedUntil: null, breaker: 'closed', limits: [] }
  expect(sources).toEqual([
    {
      ...{ ...usual, key: 'books', name: 'The books', breaker: 'open' },
      limits: [
        { name: 'day', remaining: 7 },
        { name: 'minute', remaining: 5 },
      ],
    },
    { ...usual, key: 'half', name: 'The half', breaker: 'half-open' },
    { ...usual, key: 'shut', name: 'The shut' },
    { ...usual, key: 'limited', name: 'The limited', limits: [{ name: 'day', remaining: 2 }] },
    { ...usual, key: 'paused', name: 'The paused', pausedUntil: '2126-11-20T12:00:00.000' },
    { ...usual, key: 'alarm', name: 'The alarm', isRefusingKeys: true },
  ])
  expect(workers).toEqual({ count: 2, slots: 7 })
  expect([storage.tables.length, storage.databaseBytes > 1_000_000]).toEqual([10, true])
})
