import OAuthClient from 'intuit-oauth'
import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { createQuickbooksSimulator } from '../../../simulators/quickbooks/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { leadToSimulator } from './redirect.ts'

const HOSTS = ['appcenter.intuit.com', 'oauth.platform.intuit.com', 'developer.api.intuit.com', 'quickbooks.api.intuit.com']
const CALLBACK = 'http://127.0.0.1:1/callback'
const BAKERY = '4620816365200000101'

describe('intuit-oauth, Intuit’s own client, at the simulator', () => {
  const running = openForTests(() => serveSimulator((given) => createQuickbooksSimulator({ ...given, clients: { app: 'secret' } })))
  const way = openForTests(
    () => leadToSimulator(HOSTS, running.url),
    (way) => way.end(),
  )
  const client = openForTests(
    () => new OAuthClient({ clientId: 'app', clientSecret: 'secret', environment: 'production', redirectUri: CALLBACK }),
  )

  beforeAll(async () => {
    const url = client.authorizeUri({ scope: OAuthClient.scopes.Accounting ?? '', state: 'state-1' })
    await client.createToken(await consent(url))
  })

  async function consent(url: string): Promise<string> {
    const page = new URL(url)
    const body = new URLSearchParams({ realmId: BAKERY, decision: 'connect' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await request(`${running.url}${page.pathname}${page.search}&login=marie`, { method: 'POST', headers, body })
    await answer.body.dump()
    return String(answer.headers.location)
  }

  const query = (text: string) =>
    client.makeApiCall({ url: `v3/company/${BAKERY}/query?query=${encodeURIComponent(text)}&minorversion=75` })
  const accountsOf = (answer: { json: unknown }) => Object(answer.json).QueryResponse.Account

  test('exchanges the code for valid tokens and knows the company', () => {
    const token = client.getToken()
    expect([client.isAccessTokenValid(), token.token_type, token.realmId]).toEqual([true, 'bearer', BAKERY])
  })

  test('queries every account, including inactive ones', async () => {
    const answer = await query('select * from Account where Active in (true, false) maxresults 1000')
    expect(accountsOf(answer)).toHaveLength(86)
  })

  test('refreshes, and continues to read', async () => {
    const before = client.getToken().access_token
    await client.refresh()
    expect(client.getToken().access_token).not.toBe(before)
    expect(accountsOf(await query("select * from Account where Id = '2'"))).toHaveLength(1)
  })

  test('reads the fault of an invalid query', async () => {
    const failure = await query('select').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '4000', faultType: 'ValidationFault' })
  })

  test('reads the trace id of a throttled call', async () => {
    running.simulator.fault('throttle')
    const failure = await query('select * from Account').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', intuitTid: expect.stringMatching(/^1-/) })
  })

  test('recognizes an invalid refresh token', async () => {
    const failure = await client.refreshUsingToken('RT1-unknown').catch((error: unknown) => error)
    expect(failure).toMatchObject({ error: 'invalid_grant' })
  })

  test('revokes the token, and is refused afterwards', async () => {
    const stale = client.getToken().access_token
    await client.revoke()
    const url = `v3/company/${BAKERY}/companyinfo/${BAKERY}`
    const failure = await client.makeApiCall({ url, headers: { Authorization: `Bearer ${stale}` } }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '401' })
  })

  test('called no other host', () => {
    expect(way.refused).toEqual([])
  })
})
