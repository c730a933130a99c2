import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type RunningSimulator, serveSimulator } from '../simulator.ts'
import { BUSINESSES, LOGINS } from './data/companies.ts'
import { createFreshbooksSimulator, type FreshbooksSimulator, type FreshbooksSimulatorOptions } from './index.ts'

const BUSINESS = '00000001-0000-4000-8000-000000000000'
const ACCOUNTS = `/accounting/businesses/${BUSINESS}/ledger_accounts/accounts`
const CALLBACK = 'http://127.0.0.1:1/back'
const QUERY = { client_id: 'app', redirect_uri: CALLBACK, response_type: 'code', scope: 'user:profile:read', state: 'xyz' }
const running: RunningSimulator<FreshbooksSimulator>[] = []

async function start(options: Omit<FreshbooksSimulatorOptions, 'baseUrl'> = {}): Promise<RunningSimulator<FreshbooksSimulator>> {
  const server = await serveSimulator((given) =>
    createFreshbooksSimulator({ now: () => new Date('2026-07-01T12:00:00Z'), ...options, ...given }),
  )
  running.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function token(url: string, fields: Record<string, string>): Promise<{ status: number; body: Record<string, string> }> {
  const answer = await request(`${url}/auth/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'app', client_secret: 'secret', ...fields }),
  })
  return { status: answer.statusCode, body: Object(await answer.body.json()) }
}

async function authorize(url: string, login = 'grace'): Promise<Record<string, string>> {
  const answer = await request(`${url}/oauth/authorize/?${new URLSearchParams({ ...QUERY, login })}`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'connect' }).toString(),
  })
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? ''
  return (await token(url, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK })).body
}

async function get(url: string, path: string, accessToken = '') {
  const answer = await request(`${url}${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text, json: (): { [key: string]: unknown } => JSON.parse(text) }
}

describe('the consent page', () => {
  test('names every business of the sign-in, offers both answers and needs no script', async () => {
    const { url } = await start()
    const page = (await get(url, `/oauth/authorize/?${new URLSearchParams({ ...QUERY, login: 'nora' })}`)).text
    expect(page).toContain('Cuyahoga Carpentry &amp; Remodeling</li><li>Studio Riverfront')
    expect(page).toMatch(/value="connect">Authorize<[\s\S]*value="cancel">Deny</)
    expect(page).not.toContain('<script')
  })

  test('shows the app’s parameters as text only', async () => {
    const { url } = await start()
    const page = (await get(url, `/oauth/authorize/?${new URLSearchParams({ ...QUERY, state: '"><img src=x>' })}`)).text
    expect(page).not.toContain('<img')
  })

  test.each([
    ['no client', { client_id: '' }],
    ['no address', { redirect_uri: '' }],
    ['an address with parameters', { redirect_uri: `${CALLBACK}?a=1` }],
    ['another response type', { response_type: 'token' }],
    ['a scope that does not exist', { scope: 'user:profile:write' }],
    ['a plain challenge', { code_challenge: 'x', code_challenge_method: 'plain' }],
  ])('a request with %s is refused on the page', async (_what, wrong) => {
    const { url } = await start()
    expect((await get(url, `/oauth/authorize/?${new URLSearchParams({ ...QUERY, ...wrong })}`)).status).toBe(400)
  })
})

describe('the token endpoint', () => {
  test('answers what FreshBooks answers', async () => {
    const { url } = await start()
    expect(await authorize(url)).toMatchObject({
      token_type: 'Bearer',
      expires_in: 43_200,
      created_at: 1_782_907_200,
      direct_buy_tokens: {},
    })
  })

  test('a refresh token never grows old', async () => {
    const { url, simulator } = await start()
    const granted = await authorize(url)
    simulator.moveClock(3 * 365 * 86_400_000)
    expect((await token(url, { grant_type: 'refresh_token', refresh_token: granted.refresh_token ?? '' })).status).toBe(200)
  })

  test('keys that are not registered are refused', async () => {
    const { url } = await start({ clients: { app: 'another secret' } })
    const answer = await token(url, { grant_type: 'refresh_token', refresh_token: 'x' })
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })
})

describe('the API', () => {
  test('tells the person and every membership, with the three ids of each business', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url, 'nora')
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

  test('gives one account by its uuid', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const account = await get(url, `${ACCOUNTS}/00000001-0000-4000-9000-000000000002`, access_token)
    expect(account.json()).toMatchObject({ data: { name: 'Petty Cash', parent_account: '00000001-0000-4000-9000-000000000001' } })
  })

  test.each([
    ['/accounting/account/qKo1ya/clients', 404, { response: { errors: [{ errno: 1012 }] } }],
    ['/accounting/elsewhere', 404, { error: expect.any(String) }],
    ['/accounting/businesses/00000002-0000-4000-8000-000000000000/ledger_accounts/accounts', 403, { errors: { status: 403 } }],
  ])('%s fails with %i in the shape of its family', async (path, status, body) => {
    const { url } = await start()
    const answer = await get(url, path, (await authorize(url)).access_token)
    expect({ status: answer.status, body: answer.json() }).toMatchObject({ status, body })
  })

  test('a refused token is told as sign-in tells it', async () => {
    const { url } = await start()
    const answer = await get(url, ACCOUNTS)
    expect([answer.status, answer.json().error]).toEqual([401, 'unauthenticated'])
  })

  test('a held request is answered once it is released', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    simulator.fault('slow')
    const answer = get(url, ACCOUNTS, access_token)
    await vi.waitUntil(() => simulator.countHeld() === 1)
    simulator.release()
    expect((await answer).status).toBe(200)
  })

  test('an unknown fault is refused with the list of names', async () => {
    const { simulator } = await start()
    expect(() => simulator.fault('earthquake')).toThrow(/throttle, retryAfter/)
  })

  test('the log tells what was asked, without credentials', async () => {
    const { url, simulator } = await start()
    await get(url, ACCOUNTS, 'secret-token')
    expect(simulator.listRequests()).toEqual([{ method: 'GET', path: ACCOUNTS, query: '', status: 401 }])
  })
})

describe('the books', () => {
  async function chartOf(seed: number): Promise<string> {
    const { url } = await start({ seed })
    return (await get(url, ACCOUNTS, (await authorize(url)).access_token)).text
  }

  test('are the same for the same seed', async () => {
    expect(await chartOf(7)).toBe(await chartOf(7))
  })

  test('differ from seed to seed', async () => {
    expect(await chartOf(7)).not.toBe(await chartOf(8))
  })

  test('every business can be reached by somebody', () => {
    const reached = LOGINS.flatMap(({ businessUuids }) => businessUuids)
    expect(BUSINESSES.filter(({ uuid }) => !reached.includes(uuid))).toEqual([])
  })
})

test('a restart forgets no token, no edit, no deleted account and not the clock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'freshbooks-state-'))
  const stateFile = join(folder, 'state.json')
  const first = await start({ stateFile })
  const { access_token } = await authorize(first.url)
  first.simulator.moveClock(60_000)
  first.simulator.editAccount(BUSINESS, '00000001-0000-4000-9000-000000000003', { name: 'Renamed' })
  first.simulator.addAccount(BUSINESS, { name: 'New' })
  first.simulator.removeAccount(BUSINESS, '00000001-0000-4000-9000-000000000007')
  const before = await get(first.url, ACCOUNTS, access_token)
  const second = await start({ stateFile })
  const after = await get(second.url, ACCOUNTS, access_token)
  const edited = second.simulator.editAccount(BUSINESS, '00000001-0000-4000-9000-000000000001', {})
  rmSync(folder, { recursive: true })
  expect(after.text).toBe(before.text)
  expect(after.text).toContain('Renamed')
  expect(edited.updated_at).toBe('2026-07-01T12:01:00.000Z')
})
