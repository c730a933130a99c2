import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { FORM_CLIENT, oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { BUSINESSES, LOGINS } from './data/companies.ts'
import { createFreshbooksSimulator, type FreshbooksSimulatorOptions } from './index.ts'

const BUSINESS = '00000001-0000-4000-8000-000000000000'
const ACCOUNTS = `/accounting/businesses/${BUSINESS}/ledger_accounts/accounts`
const QUERY = {
  client_id: 'app',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'user:profile:read',
  state: 'xyz',
  login: 'grace',
}
const { start, stateFile, page, token, authorize } = oauthSimulator({
  create: (settings: Partial<FreshbooksSimulatorOptions>, given) => createFreshbooksSimulator({ ...given, ...settings }),
  authorizePath: '/oauth/authorize/',
  tokenPath: '/auth/oauth/token',
  query: QUERY,
  answer: { decision: 'connect' },
  client: FORM_CLIENT,
})

async function get(url: string, path: string, accessToken = '') {
  const answer = await request(`${url}${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text, json: (): { [key: string]: unknown } => JSON.parse(text) }
}

describe('the consent page', () => {
  test('names every business of the login and offers both answers', async () => {
    const { url } = await start()
    const { text } = await page(url, { login: 'nora' })
    expect(text).toContain('Cuyahoga Carpentry &amp; Remodeling</li><li>Studio Riverfront')
    expect(text).toMatch(/value="connect">Authorize<[\s\S]*value="cancel">Deny</)
  })
})

describe('the token endpoint', () => {
  test("answers in FreshBooks' format", async () => {
    const { url } = await start()
    expect(await authorize(url)).toMatchObject({
      token_type: 'Bearer',
      expires_in: 43_200,
      created_at: 1_782_907_200,
      direct_buy_tokens: {},
    })
  })

  test('never expires a refresh token', async () => {
    const { url, simulator } = await start()
    const granted = await authorize(url)
    simulator.moveClock(3 * 365 * 86_400_000)
    expect((await token(url, { grant_type: 'refresh_token', refresh_token: granted.refresh_token ?? '' })).status).toBe(200)
  })
})

describe('the API', () => {
  test('returns the user and every membership, with the three ids of each business', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url, { login: 'nora' })
    const me = (await get(url, '/auth/api/v1/users/me', access_token)).json()
    expect(me).toMatchObject({
      response: {
        email: 'nora@belanger-cpa.example',
        business_memberships: [
          { business: { id: 8_675_301, account_id: 'qKo1ya', business_uuid: BUSINESS } },
          { business: { id: 8_675_302, account_id: 'wRv2ot' } },
        ],
      },
    })
  })

  test('lists the types and the ten sub types of accounts', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const types = (await get(url, '/accounting/ledger_accounts/types', access_token)).json()
    const subTypes = (await get(url, '/accounting/ledger_accounts/sub_types', access_token)).json()
    expect(types).toEqual({ data: ['asset', 'liability', 'equity', 'income', 'expense'].map((name) => ({ name })) })
    expect(subTypes.data).toHaveLength(10)
  })

  test('returns one account by its uuid', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const account = await get(url, `${ACCOUNTS}/00000001-0000-4000-9000-000000000002`, access_token)
    expect(account.json()).toMatchObject({ data: { name: 'Petty Cash', parent_account: '00000001-0000-4000-9000-000000000001' } })
  })

  test.each([
    ['/accounting/account/qKo1ya/clients', 404, { response: { errors: [{ errno: 1012 }] } }],
    ['/accounting/elsewhere', 404, { error: expect.any(String) }],
    ['/accounting/businesses/00000002-0000-4000-8000-000000000000/ledger_accounts/accounts', 403, { errors: { status: 403 } }],
  ])('%s fails with %i in the format of its route family', async (path, status, body) => {
    const { url } = await start()
    const answer = await get(url, path, (await authorize(url)).access_token)
    expect({ status: answer.status, body: answer.json() }).toMatchObject({ status, body })
  })

  test('refuses an invalid token in the format of the auth routes', async () => {
    const { url } = await start()
    const answer = await get(url, ACCOUNTS)
    expect([answer.status, answer.json().error]).toEqual([401, 'unauthenticated'])
  })
})

describe('the books', () => {
  test('can all be reached by some login', () => {
    const reached = LOGINS.flatMap(({ businessUuids }) => businessUuids)
    expect(BUSINESSES.filter(({ uuid }) => !reached.includes(uuid))).toEqual([])
  })
})

test('keeps tokens, edits, deleted accounts and the clock over a restart', async () => {
  const state = { stateFile: await stateFile() }
  const first = await start(state)
  const { access_token } = await authorize(first.url)
  first.simulator.moveClock(60_000)
  first.simulator.editAccount(BUSINESS, '00000001-0000-4000-9000-000000000003', { name: 'Renamed' })
  first.simulator.addAccount(BUSINESS, { name: 'New' })
  first.simulator.removeAccount(BUSINESS, '00000001-0000-4000-9000-000000000007')
  const before = await get(first.url, ACCOUNTS, access_token)
  const second = await start(state)
  const after = await get(second.url, ACCOUNTS, access_token)
  const edited = second.simulator.editAccount(BUSINESS, '00000001-0000-4000-9000-000000000001', {})
  expect(after.text).toBe(before.text)
  expect(after.text).toContain('Renamed')
  expect(edited.updated_at).toBe('2026-07-01T12:01:00.000Z')
})
