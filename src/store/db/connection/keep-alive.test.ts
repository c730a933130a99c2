import { Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { databaseOfOneServer } from '../../../../test/harness/database.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { openDatabase } from '../database.ts'
import { ReplicaServer } from '../replicas/replica-server.ts'

const test = openForTests(
  () => databaseOfOneServer({ migrated: false }),
  ({ drop }) => drop(),
)
afterEach(() => vi.restoreAllMocks())

it.each([
  [
    'the database',
    () => {
      const database = openDatabase(test.url)
      return { ask: () => database.query('select 1'), close: () => database.end() }
    },
  ],
  [
    'a replica',
    () => {
      const server = new ReplicaServer(test.url, { maxStalenessMs: 1, onChange: () => undefined })
      return { ask: () => server.pool.query('select 1'), close: () => server.close() }
    },
  ],
  [
    'a probe of a replica',
    () => {
      const server = new ReplicaServer(test.url, { maxStalenessMs: 1, onChange: () => undefined })
      return { ask: () => server.probe([], () => 0), close: () => server.close() }
    },
  ],
])('a broken idle connection to %s is noticed: the network is asked after five seconds', async (_what, open) => {
  const set = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const { ask, close } = open()
  await ask()
  await close()
  expect(set.mock.calls).toEqual([[true, 5_000]])
})
