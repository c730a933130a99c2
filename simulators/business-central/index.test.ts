import { createHash } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { FORM_CLIENT, oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { type BusinessCentralSimulatorOptions, createBusinessCentralSimulator } from './index.ts'

const COMPANY = 'b0a7c0de-0001-4ee1-8f6e-6045bd9dec5b'
const PLACE = '/v2.0/7e0a0001-1f2e-4b7d-9a51-0c5c2a1d4e01/Production/api/v2.0'
const VERIFIER = 'v'.repeat(43)
const QUERY = {
  client_id: 'app',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All offline_access',
  state: 'xyz',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}
const { start, stateFile, page, token, authorize } = oauthSimulator({
  create: (settings: Partial<BusinessCentralSimulatorOptions>, given) => createBusinessCentralSimulator({ ...given, ...settings }),
  authorizePath: '/organizations/oauth2/v2.0/authorize',
  tokenPath: '/organizations/oauth2/v2.0/token',
  query: QUERY,
  answer: { decision: 'connect' },
  client: { fields: { ...FORM_CLIENT.fields, code_verifier: VERIFIER } },
})

async function accessTokenOf(url: string, login = 'erin'): Promise<string> {
  return (await authorize(url, { login })).access_token ?? ''
}

async function get(url: string, path: string, accessToken: string, headers: Record<string, string> = {}) {
  const answer = await request(`${url}${path}`, { headers: { ...headers, authorization: `Bearer ${accessToken}` } })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}

const ACCOUNTS = `${PLACE}/companies(${COMPANY})/accounts`

describe('the consent page', () => {
  test('names the companies of the account and offers to accept and to cancel', async () => {
    const { url } = await start()
    const { text } = await page(url)
    expect(text).toContain('Bow River Dental (Production)')
    expect(text).toMatch(/value="connect">Accept<[\s\S]*value="cancel">Cancel</)
  })
})

describe('the token endpoint', () => {
  test("refuses a wrong verifier with an error in Entra's format", async () => {
    const { url } = await start()
    const answer = await token(url, { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT_URI, code_verifier: 'x' })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_codes: [70008], trace_id: expect.any(String) } })
  })
})

describe('lists', () => {
  test('are returned in pages of the requested size, each with a link to the next', async () => {
    const { url } = await start()
    const accessToken = await accessTokenOf(url)
    const first = await get(url, ACCOUNTS, accessToken, { prefer: 'odata.maxpagesize=40' })
    const next = new URL(first.body['@odata.nextLink'])
    const second = await get(url, `${next.pathname}${next.search}`, accessToken, { prefer: 'odata.maxpagesize=80' })
    expect([first.body.value.length, second.body.value.length, second.body['@odata.nextLink']]).toEqual([40, 50, undefined])
    expect(second.body.value[0].number > first.body.value.at(-1).number).toBe(true)
  })

  test('are filtered, ordered and reduced to the requested properties', async () => {
    const { url, simulator } = await start()
    const accessToken = await accessTokenOf(url)
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
      expect(await get(url, encodeURI(`${ACCOUNTS}?${query}`), await accessTokenOf(url))).toMatchObject({
        status: 400,
        body: { error: { code: 'BadRequest', message: expect.stringContaining('CorrelationId') } },
      })
    },
  )
})

describe('environments and companies', () => {
  test('lists the environments of the user’s tenant', async () => {
    const { url } = await start()
    const { body } = await get(url, '/environments/v1.1', await accessTokenOf(url, 'luc'))
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
    expect((await get(url, path, await accessTokenOf(url))).status).toBe(status)
  })
})

describe('a restart', () => {
  test('keeps tokens, edits, deleted accounts and postings', async () => {
    const state = { stateFile: await stateFile() }
    const first = await start(state)
    const accessToken = await accessTokenOf(first.url)
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
    const second = await start(state)
    const after = await read(second.url)
    expect(after).toEqual(before)
    expect(JSON.stringify(after)).toMatch(/Renommé.*Nouveau.*N-1/)
  })
})
