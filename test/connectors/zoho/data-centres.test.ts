import { afterEach, describe, expect, test } from 'vitest'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, type Harness, MAKER, openHarness, pullNamed, refresh, SHOP } from './harness.ts'

const harnesses: Harness[] = []

async function newHarness(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const made = await openHarness(options)
  harnesses.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((each) => each.close()))
})

describe('data centres', () => {
  test.each(['mei', 'jonas'])('everything after the sign-in of %s goes to the data centre of the callback', async (login) => {
    const at = await newHarness({ hasCentres: true })
    const grant = await connect(at, MAKER, login)
    await pullNamed('accounts').fetch(sessionOf(at, grant), null)
    const origins = new Set(at.exchanges.map(({ request: call }) => new URL(call.url).origin))
    expect(origins).toEqual(new Set([at.elsewhere]))
  })

  test('a person of the United States stays there', async () => {
    const at = await newHarness({ hasCentres: true })
    const grant = await connect(at, SHOP, 'ines')
    expect(Object(grant.credentials.secret)).toMatchObject({ accountsAt: 'us', apiAt: 'us' })
  })

  test('a refresh and a farewell go to the data centre of the person', async () => {
    const at = await newHarness({ hasCentres: true })
    const { credentials } = await connect(at, MAKER, 'jonas')
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
    const query = await consent(at)
    expect((await failureOf(complete(at, { ...query, ...wrong }))).kind).toBe('badData')
    expect(at.exchanges).toEqual([])
  })

  test('an address of the API that is none of Zoho’s gets no token', async () => {
    const at = await newHarness()
    const query = await consent(at)
    const http: typeof at.kit.http = async (call) => {
      const response = await at.kit.http(call)
      const text = new TextDecoder().decode(response.body).replace(/"api_domain":"[^"]*"/, '"api_domain":"https://evil.example"')
      return { ...response, body: new TextEncoder().encode(text) }
    }
    const kit = { ...at.kit, http }
    expect((await failureOf(complete({ ...at, kit }, query))).kind).toBe('badData')
    expect(at.exchanges).toHaveLength(1)
  })

  test('where no address came the word decides', async () => {
    const at = await newHarness({ hasCentres: true })
    const { 'accounts-server': _, ...query } = await consent(at, 'jonas')
    const [grant] = await complete(at, query)
    expect(Object(grant?.credentials.secret).accountsAt).toBe('eu')
  })
})
