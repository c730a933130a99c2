import { once } from 'node:events'
import { request } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

/** Makes a page larger than the write buffer of a connection. */
const ACCOUNTS = 500

const api = openForTests(openApiHarness)
let app: ApiHarness['app']
let origin: string
let expected: string

beforeAll(async () => {
  api.books.accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({ id: String(1_000 + i), name: `Compte ${i} ${'é'.repeat(2_000)}` }))
  await api.syncHarness.sync(api.connectionId)
  app = api.openOn(api.syncHarness.deps, 0)
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  expected = (await ask(0)).toString()
  expect(JSON.parse(expected).data).toHaveLength(ACCOUNTS)
})
afterAll(async () => {
  await app.close()
})

/** Reads the response after `pauses` turns of the event loop, in pieces. */
async function ask(pauses: number, headers: Record<string, string> = {}): Promise<Buffer> {
  const path = `/admin/api/v1/normalized-data/${api.syncHarness.companyId}/accountancy/accounts/${toServiceId(api.books.description.key)}?PageSize=${ACCOUNTS}`
  const asked = request(`${origin}${path}`, { headers: { authorization: `Bearer ${api.tokens.viewer}`, ...headers } }).end()
  const [response] = await once(asked, 'response')
  for (let turn = 0; turn < pauses; turn++) await setImmediate()
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return Buffer.concat(parts)
}

it('without a page cache every reader gets the complete page, however many share it and however slowly they read', async () => {
  for (let round = 0; round < 5; round++) {
    const plain = await Promise.all(Array.from({ length: 12 }, (_, i) => ask((i % 4) * 50)))
    expect(plain.every((body) => body.toString() === expected)).toBe(true)
    const mixed = await Promise.all([ask(20), ask(0, { 'accept-encoding': 'gzip' }), ask(0), ask(0, { 'accept-encoding': 'gzip' })])
    expect(mixed.map((body, i) => (i % 2 === 1 ? gunzipSync(body) : body).toString() === expected)).toEqual([true, true, true, true])
  }
})
