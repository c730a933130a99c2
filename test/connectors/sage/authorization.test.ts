import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh, startLink } from '../../harness/redirect.ts'
import { BAKERY, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const accounts = pullNamed(sageConnector, 'accounts')

describe('connecting', () => {
  test('the owner signs in and returns with a grant for the business', async () => {
    expect(await connect(await newHarness())).toMatchObject({
      entity: { id: BAKERY, name: 'Boulangerie La Croûte dorée' },
      email: 'lucie@croute-doree.example',
      credentials: { expiresAt: '2026-07-01T12:04:45.000Z' },
    })
  })

  test('a login with several businesses returns one grant for each, to choose from', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, { login: 'rene' }))
    expect(grants.map(({ entity }) => entity)).toEqual([
      { id: SHOP, name: 'Comptoir de l’Île' },
      { id: BAKERY, name: 'Boulangerie La Croûte dorée' },
    ])
  })

  test('each of those grants reads its own business, lead business or not', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, { login: 'rene' }))
    const counts: number[] = []
    for (const grant of grants) {
      const page = await accounts.fetch(sessionOf(at, grant), null)
      counts.push([...accounts.read(page.answers)].length)
    }
    expect(counts).toEqual([27, 85])
  })

  test('every call about a business names it', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    await accounts.fetch(sessionOf(at, grant), null)
    const named = at.simulator.listRequests().filter(({ path }) => /ledger_accounts|financial_settings/.test(path))
    expect(named.map(({ business }) => business)).toEqual([BAKERY, BAKERY])
  })

  test('only read access is requested, with the API version and the owner’s language', async () => {
    const at = await newHarness()
    const { url } = await startLink(at, { locale: 'fr-CA' })
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ scope: 'readonly', filter: 'apiv3.1', locale: 'fr-CA' })
  })
})

describe('refreshing', () => {
  test('a token that expires between two pages is replaced and the listing continues', async () => {
    const at = await newHarness({ giantAccounts: 450 })
    const grant = await connect(at, { login: 'load' })
    const first = await accounts.fetch(sessionOf(at, grant), null)
    at.moveTime(6 * MINUTE_MS)
    expect((await failureOf(accounts.fetch(sessionOf(at, grant), first.next))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    const second = await accounts.fetch(sessionOf(at, { ...grant, credentials }), first.next)
    expect([...accounts.read(second.answers)]).toHaveLength(200)
  })

  test('a refresh token that was not used for 31 days is refused', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(31 * DAY_MS + 1000)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })
})

test('the consent page uses the language that the connector requests', async () => {
  const { url } = await startLink(await newHarness(), { locale: 'fr-CA' })
  const page = await request(url, { headers: { 'accept-language': 'en' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Autoriser<\/button>/)
})
