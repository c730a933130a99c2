import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { FORM_CLIENT, oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { createZohoSimulator, type ZohoSimulatorOptions } from './index.ts'

const SHOP = '782340101'
const QUERY = {
  client_id: 'app',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'ZohoBooks.accountants.READ,ZohoBooks.settings.READ',
  access_type: 'offline',
  prompt: 'consent',
  state: 'xyz',
}
const { start, stateFile, consent, token, authorize } = oauthSimulator({
  create: (settings: Partial<ZohoSimulatorOptions>, given) => createZohoSimulator({ ...given, ...settings }),
  authorizePath: '/oauth/v2/auth',
  tokenPath: '/oauth/v2/token',
  query: QUERY,
  answer: { decision: 'allow' },
  client: FORM_CLIENT,
})

async function get(url: string, path: string, accessToken = '', query: Record<string, string> = {}) {
  const parameters = new URLSearchParams({ organization_id: SHOP, ...query })
  const answer = await request(`${url}/books/v3/${path}?${parameters}`, { headers: { authorization: `Zoho-oauthtoken ${accessToken}` } })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

async function listOf(url: string, name: string, accessToken = '', query: Record<string, string> = {}): Promise<Record<string, unknown>[]> {
  const list = Object(JSON.parse((await get(url, name, accessToken, query)).text))[name]
  return Array.isArray(list) ? list : []
}

describe('the token endpoint', () => {
  test('returns the lifetime and the API address', async () => {
    const { url } = await start()
    expect(await authorize(url)).toMatchObject({ token_type: 'Bearer', expires_in: 3600, api_domain: url })
  })

  test.each([{ access_type: 'online' }, { prompt: 'none' }])('issues no refresh token with %j', async (more) => {
    const { url } = await start()
    expect(await authorize(url, more)).not.toHaveProperty('refresh_token')
  })

  test.each([
    [{ client_id: 'other' }, 'invalid_client'],
    [{ client_secret: 'wrong' }, 'invalid_client_secret'],
    [{ refresh_token: 'x' }, 'invalid_code'],
  ])('refuses %j with %s, under status 200', async (form, error) => {
    const { url } = await start({ clients: { app: 'secret' } })
    expect(await token(url, { grant_type: 'refresh_token', ...form })).toEqual({ status: 200, body: { error } })
  })

  test('refuses a code after two minutes', async () => {
    const { url, simulator } = await start()
    const code = (await consent(url))?.get('code') ?? ''
    simulator.moveClock(120_001)
    expect((await token(url, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI })).body).toEqual({
      error: 'invalid_code',
    })
  })
})

describe('a restart', () => {
  test('keeps tokens, edits and deletions', async () => {
    const state = { stateFile: await stateFile() }
    const first = await start(state)
    const { access_token } = await authorize(first.url)
    const [one, two] = first.simulator.listAccounts(SHOP).map(({ account_id }) => String(account_id))
    const journals = first.simulator.listJournals(SHOP).map(({ journal_id }) => String(journal_id))
    first.simulator.editAccount(SHOP, one ?? '', { account_name: 'Renommé' })
    first.simulator.removeAccount(SHOP, two ?? '')
    first.simulator.addAccount(SHOP, { account_name: 'Nouveau' })
    first.simulator.editJournal(SHOP, journals[0] ?? '', { notes: 'Corrigé' })
    first.simulator.removeJournal(SHOP, journals[1] ?? '')
    const read = async (url: string) => [await listOf(url, 'chartofaccounts', access_token), await listOf(url, 'journals', access_token)]
    const before = await read(first.url)
    const second = await start(state)
    const after = await read(second.url)
    expect(after).toEqual(before)
    expect(after[0]?.map(({ account_name }) => account_name)).toEqual(expect.arrayContaining(['Renommé', 'Nouveau']))
    expect(after[1]?.map(({ notes }) => notes)).toContain('Corrigé')
  })
})

describe('the books', () => {
  test.each([
    ['', 77],
    ['AccountType.All', 81],
    ['AccountType.Active', 77],
    ['AccountType.Inactive', 4],
    ['AccountType.Equity', 4],
  ])('the filter "%s" selects %i accounts', async (filter, count) => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    expect(await listOf(url, 'chartofaccounts', access_token, filter === '' ? {} : { filter_by: filter })).toHaveLength(count)
  })

  test('include balances only on request', async () => {
    const { url } = await start()
    const [account] = await listOf(url, 'chartofaccounts', (await authorize(url)).access_token)
    expect(account).not.toHaveProperty('current_balance')
  })

  test('last_modified_time returns the changes since then', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    const id = String(simulator.listAccounts(SHOP)[4]?.account_id)
    simulator.editAccount(SHOP, id, { is_active: false })
    const query = { filter_by: 'AccountType.All', last_modified_time: '2026-07-01T00:00:00+0000' }
    const changed = await listOf(url, 'chartofaccounts', access_token, query)
    expect(changed.map(({ account_id, last_modified_time }) => [account_id, last_modified_time])).toEqual([
      [id, '2026-07-01T05:00:00-0700'],
    ])
  })

  test('return a single account and journal in their own envelopes', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    const accountId = String(simulator.listAccounts(SHOP)[0]?.account_id)
    const journalId = String(simulator.listJournals(SHOP)[0]?.journal_id)
    expect(JSON.parse((await get(url, `chartofaccounts/${accountId}`, access_token)).text)).toHaveProperty(
      'chart_of_account.account_id',
      accountId,
    )
    expect(JSON.parse((await get(url, `journals/${journalId}`, access_token)).text)).toHaveProperty('journal.line_items')
    expect((await get(url, 'journals/1', access_token)).status).toBe(404)
  })
})

describe('answers', () => {
  test('carry the remaining calls of the day', async () => {
    const { url } = await start()
    const { headers } = await get(url, 'journals', (await authorize(url)).access_token)
    expect([headers['x-rate-limit-limit'], headers['x-rate-limit-remaining'], headers['x-rate-limit-reset']]).toEqual([
      '2000',
      '1999',
      '43200',
    ])
  })

  test('have no Retry-After at a limit', async () => {
    const { url } = await start({ callsPerMinute: 0 })
    const answer = await get(url, 'journals', (await authorize(url)).access_token)
    expect([answer.status, JSON.parse(answer.text).code, answer.headers['retry-after']]).toEqual([429, 44, undefined])
  })

  test("refuse a call without an organization, or for another user's", async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const codes = await Promise.all(
      ['', '782349999', '1'].map(async (id) => JSON.parse((await get(url, 'journals', access_token, { organization_id: id })).text).code),
    )
    expect(codes).toEqual([6, 6041, 6041])
  })
})
