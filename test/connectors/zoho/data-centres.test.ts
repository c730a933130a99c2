import { describe, expect, test } from 'vitest'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh } from '../../harness/redirect.ts'
import { MAKER, openHarness, openWithCentres, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const newWithCentres = closedAfterEach(openWithCentres)

describe('data centres', () => {
  test.each(['mei', 'jonas'])('everything after the sign-in of %s uses the data centre of the callback', async (login) => {
    const at = await newWithCentres()
    const grant = await connect(at, { login }, MAKER)
    await pullNamed(zohoConnector, 'accounts').fetch(sessionOf(at, grant), null)
    const origins = new Set(at.exchanges.map(({ request: call }) => new URL(call.url).origin))
    expect(origins).toEqual(new Set([at.elsewhere]))
  })

  test('a user of the United States stays there', async () => {
    const at = await newWithCentres()
    const grant = await connect(at, { login: 'ines' }, SHOP)
    expect(Object(grant.credentials.secret)).toMatchObject({ accountsAt: 'us', apiAt: 'us' })
  })

  test('a refresh and a revocation use the user’s data centre', async () => {
    const at = await newWithCentres()
    const { credentials } = await connect(at, { login: 'jonas' }, MAKER)
    at.exchanges.length = 0
    await zohoConnector.disconnect?.(at.kit, await refresh(at, credentials))
    expect(at.exchanges.map(({ request: call }) => new URL(call.url).origin)).toEqual([at.elsewhere, at.elsewhere])
  })

  test.each([
    ['an address that is not Zoho’s', { 'accounts-server': 'https://accounts.zoho.example' }],
    ['an address that only begins like one', { 'accounts-server': 'http://127.0.0.1:1@evil.example' }],
    ['no address at all but a word', { 'accounts-server': 'mars' }],
    ['an unknown word without an address', { 'accounts-server': '', location: 'mars' }],
    ['a word that every object has', { 'accounts-server': '', location: 'constructor' }],
  ])('%s in the callback is refused before the app’s secret is sent anywhere', async (_what, wrong) => {
    const at = await newHarness()
    const back = await consent(at)
    expect((await failureOf(complete(at, { ...back, query: { ...back.query, ...wrong } }))).kind).toBe('badData')
    expect(at.exchanges).toEqual([])
  })

  test('an API address outside Zoho gets no token', async () => {
    const at = await newHarness()
    const back = await consent(at)
    const http: typeof at.kit.http = async (call) => {
      const response = await at.kit.http(call)
      const text = new TextDecoder().decode(response.body).replace(/"api_domain":"[^"]*"/, '"api_domain":"https://evil.example"')
      return { ...response, body: new TextEncoder().encode(text) }
    }
    const kit = { ...at.kit, http }
    expect((await failureOf(complete({ ...at, kit }, back))).kind).toBe('badData')
    expect(at.exchanges).toHaveLength(1)
  })

  test('without an address the location decides', async () => {
    const at = await newWithCentres()
    const { query: all, memo } = await consent(at, { login: 'jonas' })
    const { 'accounts-server': _, ...query } = all
    const [grant] = await complete(at, { query, memo })
    expect(Object(grant?.credentials.secret).accountsAt).toBe('eu')
  })
})
