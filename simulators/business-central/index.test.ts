import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type RunningSimulator, serveSimulator } from '../simulator.ts'
import { type BusinessCentralSimulator, type BusinessCentralSimulatorOptions, createBusinessCentralSimulator } from './index.ts'

const COMPANY = 'b0a7c0de-0001-4ee1-8f6e-6045bd9dec5b'
const PLACE = '/v2.0/7e0a0001-1f2e-4b7d-9a51-0c5c2a1d4e01/Production/api/v2.0'
const CALLBACK = 'http://127.0.0.1:1/back'
const VERIFIER = 'v'.repeat(43)
const QUERY = {
  client_id: 'app',
  redirect_uri: CALLBACK,
  response_type: 'code',
  scope: 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All offline_access',
  state: 'xyz',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}
const running: RunningSimulator<BusinessCentralSimulator>[] = []

async function start(options: Omit<BusinessCentralSimulatorOptions, 'baseUrl'> = {}): Promise<RunningSimulator<BusinessCentralSimulator>> {
  const server = await serveSimulator(
    (given) => createBusinessCentralSimulator({ now: () => new Date('2026-07-01T12:00:00Z'), ...options, ...given }),
    { ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }) },
  )
  running.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function token(url: string, form: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await request(`${url}/organizations/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'app', client_secret: 'secret', ...form }).toString(),
  })
  return { status: answer.statusCode, body: Object(await answer.body.json()) }
}

async function authorize(url: string, login = 'erin'): Promise<string> {
  const page = `${url}/organizations/oauth2/v2.0/authorize?${new URLSearchParams({ ...QUERY, login })}`
  const answer = await request(page, { method: 'POST', body: 'decision=connect' })
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER }
  return String((await token(url, form)).body.access_token)
}

async function get(url: string, path: string, accessToken: string, headers: Record<string, string> = {}) {
  const answer = await request(`${url}${path}`, { headers: { ...headers, authorization: `Bearer ${accessToken}` } })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}

const ACCOUNTS = `${PLACE}/companies(${COMPANY})/accounts`

describe('the consent page', () => {
  test('names the companies of the account, offers to accept and to cancel, and needs no script', async () => {
    const { url } = await start()
    const address = `${url}/organizations/oauth2/v2.0/authorize?${new URLSearchParams(QUERY)}`
    const page = await (await request(address)).body.text()
    expect(page).toContain('Bow River Dental (Production)')
    expect(page).toMatch(/value="connect">Accept<[\s\S]*value="cancel">Cancel</)
    expect(page).not.toContain('<script')
  })

  test('shows the app’s parameters as text only', async () => {
    const { url } = await start()
    const address = `${url}/organizations/oauth2/v2.0/authorize?${new URLSearchParams({ ...QUERY, state: '"><img src=x>' })}`
    expect(await (await request(address)).body.text()).not.toContain('<img')
  })

  test.each(['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge_method'])(
    'a request without %s is refused on the page',
    async (name) => {
      const { url } = await start()
      const answer = await request(`${url}/organizations/oauth2/v2.0/authorize?${new URLSearchParams({ ...QUERY, [name]: '' })}`)
      await answer.body.dump()
      expect(answer.statusCode).toBe(400)
    },
  )
})

describe('the token endpoint', () => {
  test('a wrong verifier is refused with the shape of Entra', async () => {
    const { url } = await start()
    const answer = await token(url, { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK, code_verifier: 'x' })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_codes: [70008], trace_id: expect.any(String) } })
  })

  test('keys that are not registered are refused', async () => {
    const { url } = await start({ clients: { app: 'another secret' } })
    expect(await token(url, { grant_type: 'refresh_token' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })
})

describe('lists', () => {
  test('come in pages of the size that is asked for, each with a link to the next', async () => {
    const { url } = await start()
    const accessToken = await authorize(url)
    const first = await get(url, ACCOUNTS, accessToken, { prefer: 'odata.maxpagesize=40' })
    const next = new URL(first.body['@odata.nextLink'])
    const second = await get(url, `${next.pathname}${next.search}`, accessToken, { prefer: 'odata.maxpagesize=80' })
    expect([first.body.value.length, second.body.value.length, second.body['@odata.nextLink']]).toEqual([40, 50, undefined])
    expect(second.body.value[0].number > first.body.value.at(-1).number).toBe(true)
  })

  test('are filtered, ordered and cut to the properties asked for', async () => {
    const { url, simulator } = await start()
    const accessToken = await authorize(url)
    simulator.editAccount(COMPANY, '10110', { blocked: true })
    const query = new URLSearchParams({
      $filter: 'lastModifiedDateTime gt 2026-07-01T00:00:00Z and blocked eq true',
      $orderby: 'number desc',
      $select: 'number',
    })
    const { body } = await get(url, `${ACCOUNTS}?${query}`, accessToken)
    expect(body.value).toEqual([{ '@odata.etag': expect.any(String), number: '10110' }])
  })

  test.each(['$filter=iban eq 1', '$filter=number', '$orderby=iban', '$select=iban', '$top=x', '$expand=y'])(
    'a list with %s is refused',
    async (query) => {
      const { url } = await start()
      expect(await get(url, encodeURI(`${ACCOUNTS}?${query}`), await authorize(url))).toMatchObject({
        status: 400,
        body: { error: { code: 'BadRequest', message: expect.stringContaining('CorrelationId') } },
      })
    },
  )
})

describe('the ways to a company', () => {
  test('the environments are those of the person’s tenant', async () => {
    const { url } = await start()
    const { body } = await get(url, '/environments/v1.1', await authorize(url, 'luc'))
    expect(body.value.map(({ name, type }: Record<string, string>) => [name, type])).toEqual([
      ['Production', 'Production'],
      ['Nordlys DK', 'Production'],
    ])
  })

  test.each([
    ['another tenant', '/v2.0/7e0a0002-1f2e-4b7d-9a51-0c5c2a1d4e02/Production/api/v2.0/companies', 404],
    ['an unknown environment', `${PLACE.replace('Production', 'Nowhere')}/companies`, 404],
    ['an unknown company', `${PLACE}/companies(b0a7c0de-0009-4ee1-8f6e-6045bd9dec5b)/accounts`, 404],
    ['an unknown resource', `${PLACE}/companies(${COMPANY})/spaceships`, 404],
  ])('%s is refused', async (_what, path, status) => {
    const { url } = await start()
    expect((await get(url, path, await authorize(url))).status).toBe(status)
  })
})

describe('a restart', () => {
  test('forgets no token, no edit, no deleted account and no posting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bc-state-'))
    const stateFile = join(folder, 'state.json')
    const first = await start({ stateFile })
    const accessToken = await authorize(first.url)
    first.simulator.editAccount(COMPANY, '10120', { displayName: 'Renommé' })
    first.simulator.addAccount(COMPANY, { number: '10125', displayName: 'Nouveau' })
    first.simulator.removeAccount(COMPANY, '10150')
    first.simulator.post(COMPANY, { number: 'N-1' }, [
      { accountNumber: '10110', debitCents: 100 },
      { accountNumber: '40100', creditCents: 100 },
    ])
    const entries = `${PLACE}/companies(${COMPANY})/generalLedgerEntries?$filter=${encodeURIComponent("documentNumber eq 'N-1'")}`
    const read = async (url: string) => [
      (await get(url, ACCOUNTS, accessToken)).body.value,
      (await get(url, entries, accessToken)).body.value,
    ]
    const before = await read(first.url)
    const second = await start({ stateFile })
    const after = await read(second.url)
    rmSync(folder, { recursive: true })
    expect(after).toEqual(before)
    expect(JSON.stringify(after)).toMatch(/Renommé.*Nouveau.*N-1/)
  })
})

describe('the books', () => {
  async function entriesOf(seed: number): Promise<string> {
    const { url } = await start({ seed })
    const { body } = await get(url, `${PLACE}/companies(${COMPANY})/generalLedgerEntries`, await authorize(url))
    return JSON.stringify(body.value)
  }

  test('are the same for the same seed and differ from seed to seed', async () => {
    const [one, same, other] = [await entriesOf(7), await entriesOf(7), await entriesOf(8)]
    expect([one === same, one === other]).toEqual([true, false])
  })
})

describe('answers', () => {
  test('a held request is answered once it is released', async () => {
    const { url, simulator } = await start()
    const accessToken = await authorize(url)
    simulator.fault('slow')
    const answer = get(url, ACCOUNTS, accessToken)
    await vi.waitUntil(() => simulator.countHeld() === 1)
    simulator.release()
    expect((await answer).status).toBe(200)
  })

  test('an unknown fault is refused with the list of names', async () => {
    const { simulator } = await start()
    expect(() => simulator.fault('earthquake')).toThrow(/throttle, throttleWithWait/)
  })

  test('the log tells what was asked, without credentials', async () => {
    const { url, simulator } = await start()
    await get(url, `${ACCOUNTS}?$top=1`, 'secret-token')
    expect(simulator.listRequests()).toEqual([{ method: 'GET', path: ACCOUNTS, query: '?$top=1', status: 401 }])
  })
})
