import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { BASIC_CLIENT, oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { createXeroSimulator, type XeroSimulatorOptions } from './index.ts'

const TENANT = 'b0de4d4b-5f6a-4c71-9a3e-000000000101'
const SCOPE = 'offline_access accounting.settings.read accounting.manualjournals.read accounting.journals.read'
const QUERY = { client_id: 'app', redirect_uri: REDIRECT_URI, response_type: 'code', scope: SCOPE, state: 'xyz' }
const { start, stateFile, page, consent, token, authorize } = oauthSimulator({
  create: (settings: Partial<XeroSimulatorOptions>, given) => createXeroSimulator({ ...given, ...settings }),
  authorizePath: '/identity/connect/authorize',
  tokenPath: '/connect/token',
  query: QUERY,
  answer: { businessId: TENANT, decision: 'allow' },
  client: BASIC_CLIENT,
})

async function get(url: string, path: string, accessToken = '', headers: Record<string, string> = {}) {
  const answer = await request(`${url}/api.xro/2.0/${path}`, {
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}`, 'xero-tenant-id': TENANT, ...headers },
  })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

async function listOf(
  url: string,
  path: string,
  name: string,
  accessToken = '',
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>[]> {
  const list = Object(JSON.parse((await get(url, path, accessToken, headers)).text))[name]
  return Array.isArray(list) ? list : []
}

describe('the consent page', () => {
  test('offers every organisation of the login', async () => {
    const { url } = await start()
    expect((await page(url)).text.match(/type="radio"/g)).toHaveLength(2)
  })

  test('refuses an organisation of another login', async () => {
    const { url } = await start()
    expect(await consent(url, { login: 'load' })).toBeNull()
  })

  test('refuses the journals scope to an app below the Advanced tier', async () => {
    const { url } = await start({ tier: 'core' })
    expect(await page(url)).toMatchObject({ status: 400, text: expect.stringContaining('invalid_scope') })
  })
})

describe('the token endpoint', () => {
  test("returns Xero's lifetime and a token that names its authorization", async () => {
    const { url } = await start()
    const body = await authorize(url)
    const claims = JSON.parse(Buffer.from(body.access_token?.split('.')[1] ?? '', 'base64url').toString())
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 1800 })
    expect(claims.authentication_event_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('returns the current refresh token again for the previous one, so that a retry does not fork the chain', async () => {
    const { url } = await start()
    const { refresh_token = '' } = await authorize(url)
    const first = await token(url, { grant_type: 'refresh_token', refresh_token })
    const again = await token(url, { grant_type: 'refresh_token', refresh_token })
    expect(again.body.refresh_token).toBe(first.body.refresh_token)
  })
})

describe('a restart', () => {
  test('keeps tokens, connections, edits and postings', async () => {
    const state = { stateFile: await stateFile() }
    const first = await start(state)
    const granted = await authorize(first.url)
    const [one, two, three] = first.simulator.listAccounts(TENANT).map(({ AccountID }) => String(AccountID))
    first.simulator.editAccount(TENANT, one ?? '', { Name: 'Renommé' })
    first.simulator.addAccount(TENANT, { Name: 'Nouveau', Code: '9999' })
    first.simulator.removeAccount(TENANT, three ?? '')
    first.simulator.postJournal(TENANT, { debit: one ?? '', credit: two ?? '', cents: 500, note: 'Late' })
    const before = await listOf(first.url, 'Accounts', 'Accounts', granted.access_token)
    const second = await start(state)
    const after = await listOf(second.url, 'Accounts', 'Accounts', granted.access_token)
    const journals = await listOf(second.url, 'Journals?offset=320', 'Journals', granted.access_token)
    expect(after).toEqual(before)
    expect(after.map(({ Name }) => Name)).toContain('Renommé')
    expect(journals.at(-1)?.Reference).toBe('Late')
  })
})

describe('the books', () => {
  test('If-Modified-Since returns the changes since then', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    const id = String(simulator.listAccounts(TENANT)[4]?.AccountID)
    simulator.editAccount(TENANT, id, { Status: 'ARCHIVED' })
    const changed = await listOf(url, 'Accounts', 'Accounts', access_token, { 'if-modified-since': '2026-07-01T00:00:00' })
    expect(changed.map(({ AccountID }) => AccountID)).toEqual([id])
  })

  test('support `where` and `order`, and refuse an unknown property with a ValidationException', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const archived = await listOf(url, encodeURI('Accounts?where=Status=="ARCHIVED"&order=Name DESC'), 'Accounts', access_token)
    expect(archived).toHaveLength(6)
    expect(archived[0]?.Name).toBe('Uncategorized')
    expect((await get(url, 'Accounts?order=Colour', access_token)).text).toContain('ValidationException')
  })

  test('return a single record in the same envelope', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    const id = String(simulator.listAccounts(TENANT)[0]?.AccountID)
    expect(await listOf(url, `Accounts/${id}`, 'Accounts', access_token)).toHaveLength(1)
    expect((await get(url, 'Accounts/x', access_token)).status).toBe(404)
  })

  test('are returned as XML without `accept`', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    expect((await get(url, 'Organisation', access_token, { accept: '*/*' })).text).toMatch(/^<Response><Id>/)
  })
})

describe('answers', () => {
  test('carry the remaining calls of the limits', async () => {
    const { url } = await start()
    const { headers } = await get(url, 'Organisation', (await authorize(url)).access_token)
    expect([headers['x-minlimit-remaining'], headers['x-daylimit-remaining'], headers['x-appminlimit-remaining']]).toEqual([
      '59',
      '4999',
      '10000',
    ])
  })

  test('are 403 AuthenticationUnsuccessful for an organisation that is not connected', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const answer = await get(url, 'Accounts', access_token, { 'xero-tenant-id': 'b0de4d4b-5f6a-4c71-9a3e-000000000202' })
    expect([answer.status, JSON.parse(answer.text).Detail]).toEqual([403, 'AuthenticationUnsuccessful'])
  })

  test('the moved clock expires an access token', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    simulator.moveClock(1_801_000)
    expect((await get(url, 'Accounts', access_token)).status).toBe(401)
  })
})
