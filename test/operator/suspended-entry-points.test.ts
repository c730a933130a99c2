import { expect, it } from 'vitest'
import { insertSuspension } from '../../src/store/operators/suspensions.ts'
import { openConnectHarness } from '../connect/kit/harness.ts'
import { Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { operatorHarness } from './harness.ts'

const pages = openForTests(openConnectHarness)
const api = openForTests(operatorHarness)

it('the owner of a link of a suspended instance reads a page that says so, with 403, in both languages', async () => {
  const link = await pages.link('form-source')
  await insertSuspension(pages.deps.database, pages.instanceId, 'Contract has ended')
  const read = async (language: string) => await new Owner(pages.origin, { language }).get(link)
  const [english, french] = [await read('en-CA'), await read('fr-CA')]
  expect([english.status, english.response.headers.get('content-type')]).toEqual([403, expect.stringContaining('text/html')])
  expect(english.text).toContain('This service is unavailable right now')
  expect([french.status, french.text]).toEqual([403, expect.stringContaining('Ce service n’est pas offert pour le moment')])
  expect(english.text + french.text).not.toContain('Contract has ended')
})

it('API keys of a suspended instance get 403 in every process within a second, and work again afterwards', async () => {
  const { token } = await api.signIn()
  const ours = await api.addInstance()
  const headers = await bearerOf(api, (await api.addUser({ instanceId: ours })).email)
  const payload = { name: 'Import', scopes: ['data:read', 'companies:read'] }
  const made = await api.app.inject({ method: 'POST', url: '/admin/api/v1/api-keys', headers, payload })
  const { key } = made.json<{ key: string }>()
  const another = api.another()
  const read = async (app = api.app) =>
    (await app.inject({ url: '/admin/api/v1/normalized-data/companies', headers: { authorization: `Bearer ${key}` } })).statusCode
  expect([await read(), await read(another)]).toEqual([200, 200])
  await api.ask('POST', `/instances/${ours}/suspend`, token, { reason: 'Contract has ended' })
  api.moveClock(1_000)
  expect([await read(), await read(another)]).toEqual([403, 403])
  await api.ask('POST', `/instances/${ours}/resume`, token)
  api.moveClock(1_000)
  expect([await read(), await read(another)]).toEqual([200, 200])
})
