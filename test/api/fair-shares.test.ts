import { expect, it } from 'vitest'
import { median } from '../../bench/statistics.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'

const THREADS = 24
const REQUESTS = 60
const ENTRY_POINTS = [
  ['/admin/api/v1/normalized-data/companies', 'companies:read'],
  ['/scim/v2/Users', 'scim'],
] as const

const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))

it.each(ENTRY_POINTS)(`a request to %s is answered before eight others of a tenant who has ${THREADS} under way`, async (url, scope) => {
  const keyOf = async (instanceId: string) => {
    const headers = await bearerOf(api, (await api.addUser({ instanceId })).email)
    const payload = { name: 'Program', scopes: [scope] }
    const made = await api.app.inject({ method: 'POST', url: '/admin/api/v1/api-keys', headers, payload })
    return { authorization: `Bearer ${made.json<{ key: string }>().key}` }
  }
  const [loud, quiet] = [await keyOf(api.instanceId), await keyOf(await api.addInstance())]
  const read = async (headers: { authorization: string }) => expect((await api.app.inject({ url, headers })).statusCode).toBe(200)
  let answered = 0
  let isOver = false
  const load = Array.from({ length: THREADS }, async () => {
    while (!isOver) {
      await read(loud)
      answered += 1
    }
  })
  const overtaken: number[] = []
  for (let at = 0; at < REQUESTS; at += 1) {
    const before = answered
    await read(quiet)
    overtaken.push(answered - before)
  }
  isOver = true
  await Promise.all(load)
  // Without shares it is most of them. The median: this machine's own pauses are nobody's share.
  expect(median(overtaken)).toBeLessThan(8)
  // The load is one: it does not stand still.
  expect(answered).toBeGreaterThan(REQUESTS / 2)
})
