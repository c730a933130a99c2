import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { FORM_CLIENT, oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { BUSINESSES, LOGINS } from './data/companies.ts'
import { createSageSimulator, type SageSimulatorOptions } from './index.ts'

const BAKERY = '0d40342d0287cd6b13555c54afca0001'
const QUERY = {
  filter: 'apiv3.1',
  client_id: 'app',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'readonly',
  state: 'xyz',
  login: 'lucie',
}
const ALL = 'ledger_accounts?attributes=all&items_per_page=200'
const { start, stateFile, page, token, authorize } = oauthSimulator({
  create: (settings: Partial<SageSimulatorOptions>, given) => createSageSimulator({ ...given, ...settings }),
  authorizePath: '/oauth2/auth/central',
  tokenPath: '/token',
  query: QUERY,
  answer: { decision: 'connect' },
  client: FORM_CLIENT,
})

interface List {
  $total: number
  $page: number
  $next: string | null
  $back: string | null
  $items: { [key: string]: unknown }[]
}

async function get(url: string, path: string, accessToken = '', business?: string) {
  const headers = { authorization: `Bearer ${accessToken}`, ...(business === undefined ? {} : { 'x-business': business }) }
  const answer = await request(`${url}/v3.1/${path}`, { headers })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text, list: (): List => JSON.parse(text) }
}

describe('the consent page', () => {
  test('names every business of the login and offers both answers', async () => {
    const { url } = await start()
    const { text } = await page(url, { login: 'rene' })
    expect(text).toContain('Comptoir de l’Île</li><li>Boulangerie La Croûte dorée')
    expect(text).toMatch(/value="connect">Allow<[\s\S]*value="cancel">Deny</)
  })
})

describe('the token endpoint', () => {
  test("returns Sage's token lifetimes", async () => {
    const { url } = await start()
    expect(await authorize(url)).toMatchObject({ scope: 'readonly', expires_in: 300, refresh_token_expires_in: 2_678_400 })
  })

  test('a revoked refresh token is refused, its access token is not', async () => {
    const { url } = await start()
    const { access_token, refresh_token = '' } = await authorize(url)
    const revoked = await request(`${url}/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: 'app', client_secret: 'secret', token: refresh_token }).toString(),
    })
    expect(await revoked.body.json()).toEqual({ success: 'ok' })
    expect((await token(url, { grant_type: 'refresh_token', refresh_token })).body.error).toBe('invalid_grant')
    expect((await get(url, ALL, access_token)).status).toBe(200)
  })
})

describe('lists', () => {
  test('are paged by twenty by default, with links to the next and previous page', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const second = (await get(url, 'ledger_accounts?page=2', access_token)).list()
    expect(second).toMatchObject({ $total: 85, $page: 2, $next: '/ledger_accounts?page=3', $back: '/ledger_accounts?page=1' })
    expect(second.$items).toHaveLength(20)
  })

  test('return few attributes of each item unless all are requested', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const [little] = (await get(url, 'ledger_accounts', access_token)).list().$items
    const [all] = (await get(url, ALL, access_token)).list().$items
    expect(Object.keys(little ?? {}).sort()).toEqual(['$path', 'displayed_as', 'id'])
    expect(Object.keys(all ?? {}).length).toBeGreaterThan(20)
  })

  test.each(['ledger_accounts?items_per_page=201', 'ledger_accounts?page=0', 'journals?page=x'])('%s is refused', async (path) => {
    const { url } = await start()
    expect((await get(url, path, (await authorize(url)).access_token)).status).toBe(422)
  })

  test.each([
    ['updated_or_created_since=2026-07-01T12:00:00Z', 1],
    ['show_included_in_chart=false', 5],
    ['show_control_accounts=true', 16],
    ['ledger_account_type_id=LINE_OF_CREDIT', 2],
  ])('%s selects %i accounts', async (filter, count) => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    const [{ id } = { id: '' }] = (await get(url, ALL, access_token)).list().$items
    simulator.editAccount(BAKERY, String(id), { name: 'Renommé' })
    expect((await get(url, `${ALL}&${filter}`, access_token)).list().$total).toBe(count)
  })
})

describe('the API', () => {
  test('defaults to the lead business', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url, { login: 'rene' })
    const totals = [await get(url, ALL, access_token), await get(url, ALL, access_token, BAKERY)].map((answer) => answer.list().$total)
    expect(totals).toEqual([27, 85])
  })

  test('refuses a business to users who do not belong to it', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url, { login: 'load' })
    expect((await get(url, ALL, access_token, BAKERY)).status).toBe(403)
  })

  test('answers the configured number of calls per day and business, then none until the next day', async () => {
    const { url, simulator } = await start({ callsPerMinute: 10_000, callsPerDay: 3 })
    const { access_token, refresh_token = '' } = await authorize(url)
    const statuses: number[] = []
    for (let call = 0; call < 4; call += 1) statuses.push((await get(url, 'financial_settings', access_token)).status)
    simulator.moveClock(86_400_000)
    const fresh = (await token(url, { grant_type: 'refresh_token', refresh_token })).body.access_token
    statuses.push((await get(url, 'financial_settings', fresh)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 200])
  })

  test('answers an invalid token with a list of errors', async () => {
    const { url } = await start()
    const answer = await get(url, ALL)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([401, [expect.objectContaining({ $severity: 'error' })]])
  })
})

describe('the books', () => {
  test('can all be reached by some login', () => {
    const reached = LOGINS.flatMap(({ businessIds }) => businessIds)
    expect(BUSINESSES.filter(({ id }) => !reached.includes(id))).toEqual([])
  })
})

test('keeps tokens, edits, deleted accounts and journals, and the clock over a restart', async () => {
  const state = { stateFile: await stateFile() }
  const first = await start(state)
  const { access_token } = await authorize(first.url)
  const [account, gone] = (await get(first.url, ALL, access_token)).list().$items
  const [journal] = (await get(first.url, 'journals', access_token)).list().$items
  first.simulator.moveClock(60_000)
  first.simulator.editAccount(BAKERY, String(account?.id), { name: 'Renommé' })
  first.simulator.addAccount(BAKERY, { code: 1099, name: 'Nouveau', type: 'BANK' })
  first.simulator.remove(BAKERY, String(gone?.id))
  first.simulator.remove(BAKERY, String(journal?.id))
  const before = await get(first.url, ALL, access_token)
  const second = await start(state)
  const after = await get(second.url, ALL, access_token)
  const deleted = await get(second.url, `journals/${journal?.id}`, access_token)
  expect(after.text).toBe(before.text)
  expect(after.text).toContain('"updated_at":"2026-07-01T12:01:00.000Z"')
  expect(deleted.status).toBe(404)
})
