import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MOST_OF_MODULE, nearestTests } from './nearest-tests.ts'

it.each([
  ['src/api/access/passkeys/own-passkeys.ts', 'test/sign-in/passkeys.test.ts'],
  ['src/store/operators/quotas.ts', 'test/operator/quotas.test.ts'],
  ['src/store/connections/erasure.ts', 'test/sync/erasure.test.ts'],
  ['src/api/access/account/sign-in-rules.ts', 'test/sign-in/required.test.ts'],
  ['src/api/access/account/own-account.ts', 'src/api/access/account/accounts.test.ts'],
  ['src/api/access/provider/logout.ts', 'test/identity-provider/logout.test.ts'],
  ['src/store/records/pinned-lists.ts', 'test/records/stored-lists.test.ts'],
])('%s is judged by %s, which is named like it, mentions it, is beside its routes, or is about the same, and loads much', (file, test) => {
  expect(nearestTests([file], MOST_OF_MODULE, new Map())[file]).toContain(test)
})

it('a connector is judged by its own tests and by those of all, not by those of another', () => {
  const file = 'src/connectors/xero/map.ts'
  const tests = nearestTests([file], 20, new Map())[file] ?? []
  expect(tests).toContain('test/connectors/xero/journals.test.ts')
  expect(tests.filter((test) => /connectors\/(?!xero|toolkit|contract)[^/]+\//.test(test))).toEqual([])
})

it('a test is no judge of a connector because its name is in the connector’s folder', () => {
  const file = 'src/connectors/bank-api/map.ts'
  expect(nearestTests([file], MOST_OF_MODULE, new Map())[file]?.filter((test) => test.endsWith('/api.test.ts'))).toEqual([])
})

it('a test that took more than ten seconds in an earlier run judges nothing, and another takes its place', () => {
  const file = 'src/store/operators/quotas.ts'
  const slow = 'test/operator/quotas.test.ts'
  const tests = nearestTests([file], MOST_OF_MODULE, new Map([[slow, 10_001]]))[file]
  expect(tests).not.toContain(slow)
  expect(tests).toHaveLength(MOST_OF_MODULE)
  expect(nearestTests([file], MOST_OF_MODULE, new Map([[slow, 10_000]]))[file]).toContain(slow)
})

it('slow tests judge a file that no other test judges', () => {
  const file = 'src/store/operators/quotas.ts'
  const tests = globSync('{src,test,simulators}/**/*.test.ts', { cwd: join(import.meta.dirname, '..', '..') })
  const slow = new Map(tests.map((test) => [test, 60_000]))
  expect(nearestTests([file], MOST_OF_MODULE, slow)[file]).toHaveLength(MOST_OF_MODULE)
})
