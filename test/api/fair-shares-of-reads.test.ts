import { beforeAll, expect, it } from 'vitest'
import { quantile } from '../../bench/statistics.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const THREADS = 24
const REQUESTS = 40
const API = '/admin/api/v1'

const api = openForTests(openApiHarness)
let origin: string
beforeAll(async () => {
  // Without a cache each repeated read is work, past the router.
  const app = api.openOn(api.syncHarness.deps, 0)
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})

it(`a request is answered before eight reads of a tenant who has ${THREADS} under way past the router`, async () => {
  const { companyId } = api.syncHarness
  const accounts = `${API}/normalized-data/${companyId}/banking/accounts/${toServiceId(api.bank.description.key)}`
  const read = async (path: string, token: string) => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
  }
  const { token: quiet } = await api.openOtherInstance()
  let answered = 0
  let isOver = false
  await read(accounts, api.tokens.admin)
  const load = Array.from({ length: THREADS }, async () => {
    while (!isOver) {
      await read(accounts, api.tokens.admin)
      answered += 1
    }
  })
  const overtaken: number[] = []
  for (let at = 0; at < REQUESTS; at += 1) {
    const before = answered
    await read(`${API}/normalized-data/companies`, quiet)
    overtaken.push(answered - before)
  }
  isOver = true
  await Promise.all(load)
  // Without shares a third of them or more, by twenty.
  expect(quantile(overtaken, 0.8)).toBeLessThan(8)
  expect(answered).toBeGreaterThan(REQUESTS)
})
