import { createHash } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, test, vi } from 'vitest'
import { oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { createNetsuiteSimulator, type NetsuiteSimulatorOptions } from './index.ts'

const ACCOUNT = '7654321'
const VERIFIER = 'v'.repeat(43)
const QUERY = {
  client_id: 'app',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'rest_webservices',
  state: 'a state of 22 letters or more',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}
const SUITEQL = '/services/rest/query/v1/suiteql'
const { start, stateFile, page, consent, token, authorize } = oauthSimulator({
  create: (settings: Partial<NetsuiteSimulatorOptions>, given) => createNetsuiteSimulator({ ...given, ...settings }),
  authorizePath: '/app/login/oauth2/authorize.nl',
  tokenPath: '/services/rest/auth/oauth2/v1/token',
  query: QUERY,
  answer: { decision: 'connect', role: '7654321/reader' },
  client: { fields: { client_id: 'app', code_verifier: VERIFIER } },
})

async function accessTokenOf(url: string, login = 'harper', role = '7654321/reader'): Promise<string> {
  return (await authorize(url, { login }, { role })).access_token ?? ''
}

async function ask(url: string, sql: string, accessToken: string, page = 'limit=1000&offset=0', headers: Record<string, string> = {}) {
  const answer = await request(`${url}${SUITEQL}?${page}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'transient', authorization: `Bearer ${accessToken}`, ...headers },
    body: JSON.stringify({ q: sql }),
  })
  return { status: answer.statusCode, headers: answer.headers, body: Object(await answer.body.json()) }
}

const ALL = 'SELECT id, acctnumber, accountsearchdisplaynamecopy FROM account ORDER BY id'

describe('the consent page', () => {
  test('offers every role of the login, and the buttons Allow and Deny', async () => {
    const { url } = await start()
    const { text } = await page(url, { login: 'noor' })
    expect(text.match(/type="radio"/g)).toHaveLength(3)
    expect(text).toMatch(/value="connect">Allow<[\s\S]*value="cancel">Deny</)
  })

  test.each([
    [{ state: 'short' }, 'invalid_request'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
  ])('redirects a request with %j back with error %s', async (wrong, error) => {
    const { url } = await start()
    expect((await consent(url, wrong))?.get('error')).toBe(error)
  })

  test('redirects the browser back with account, role and state', async () => {
    const { url } = await start()
    expect(Object.fromEntries((await consent(url)) ?? [])).toMatchObject({
      company: ACCOUNT,
      role: '1017',
      entity: '42',
      state: QUERY.state,
    })
  })
})

describe('the token endpoint', () => {
  test('refuses a public client without PKCE', async () => {
    const { url } = await start()
    const code = (await consent(url, { code_challenge: '', code_challenge_method: '' }))?.get('code') ?? ''
    expect(code).not.toBe('')
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: '' }
    expect(await token(url, form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('requires a registered secret', async () => {
    const { url } = await start({ clients: { app: 'secret' } })
    expect(await token(url, { grant_type: 'refresh_token', client_id: 'app' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    const authorization = `Basic ${Buffer.from('app:secret').toString('base64')}`
    expect(await token(url, { grant_type: 'refresh_token' }, { authorization })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })
})

describe('SuiteQL', () => {
  test('answers in pages with the total count, values as text and no key for empty fields', async () => {
    const { url } = await start()
    const { body } = await ask(url, ALL, await accessTokenOf(url), 'limit=2&offset=82')
    expect(body).toMatchObject({ count: 2, hasMore: true, offset: 82, totalResults: 85 })
    expect(body.items.every((item: object) => Object.values(item).every((value) => value !== null))).toBe(true)
  })

  test.each(['limit=2000&offset=0', 'limit=10&offset=5', 'limit=1000&offset=100000', 'limit=x'])('%s is refused', async (page) => {
    const { url } = await start()
    expect((await ask(url, ALL, await accessTokenOf(url), page)).status).toBe(400)
  })

  test('refuses a request without "Prefer: transient"', async () => {
    const { url } = await start()
    expect((await ask(url, ALL, await accessTokenOf(url), 'limit=10', { prefer: 'x' })).body).toMatchObject({
      status: 400,
      'o:errorDetails': [{ 'o:errorCode': 'INVALID_HEADER' }],
    })
  })

  test.each([
    ['harper', '7654321/reader', ['account', 'currency', 'subsidiary', 'transaction']],
    ['mira', '7654321/lists', ['account', 'currency', 'subsidiary']],
    ['noor', '2468013/controller', ['account', 'transaction']],
    ['load', '9999999/reader', ['account', 'currency', 'transaction']],
    ['sam', '2468013/employee', []],
  ])('%s as %s finds %j', async (login, role, found) => {
    const { url } = await start({ giantAccounts: 2 })
    const accessToken = await accessTokenOf(url, login, role)
    const seen: string[] = []
    for (const table of ['account', 'currency', 'subsidiary', 'transaction']) {
      if ((await ask(url, `SELECT id FROM ${table}`, accessToken)).status === 200) seen.push(table)
    }
    expect(seen).toEqual(found)
  })

  test('refuses more concurrent requests than the account allows, without Retry-After', async () => {
    const { url, simulator } = await start({ concurrency: 1 })
    const accessToken = await accessTokenOf(url)
    simulator.fault('slow')
    const first = ask(url, ALL, accessToken)
    await vi.waitUntil(() => simulator.countHeld() === 1)
    const second = await ask(url, ALL, accessToken)
    simulator.release()
    expect([(await first).status, second.status, second.headers['retry-after']]).toEqual([200, 429, undefined])
  })
})

describe('a restart', () => {
  test('keeps tokens, edits, postings and deletions', async () => {
    const state = { stateFile: await stateFile() }
    const first = await start(state)
    const accessToken = await accessTokenOf(first.url)
    first.simulator.editAccount(ACCOUNT, '1070', { accountsearchdisplaynamecopy: 'Renommé' })
    first.simulator.removeAccount(ACCOUNT, '6990')
    first.simulator.removeTransaction(ACCOUNT, '4')
    first.simulator.post(ACCOUNT, { number: 'JE-NEW' }, [
      { accountNumber: '1070', debitCents: 5 },
      { accountNumber: '6500', creditCents: 5 },
    ])
    const read = async (url: string) => [
      (await ask(url, ALL, accessToken)).body.items,
      (await ask(url, 'SELECT transaction, debit, credit FROM transactionaccountingline ORDER BY transaction', accessToken)).body.items,
      (await ask(url, "SELECT id FROM transaction WHERE tranid = 'JE-NEW' OR id = 4", accessToken)).body.items,
    ]
    const before = await read(first.url)
    const second = await start(state)
    const after = await read(second.url)
    expect(after).toEqual(before)
    expect([JSON.stringify(after[0]).includes('Renommé'), after[2].length]).toEqual([true, 1])
  })
})
