import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildDirectory } from '../kit/data/institutions.ts'
import { type RunningSimulator, serveSimulator } from '../simulator.ts'
import { createPlaidSimulator, type PlaidSimulator, type PlaidSimulatorOptions } from './index.ts'

const NOW = new Date('2026-11-20T15:30:00Z')
const BANK = 'ins_900001'
const HEADERS = { 'content-type': 'application/json', 'plaid-client-id': 'c', 'plaid-secret': 's' }

interface Answer {
  status: number
  body: Record<string, unknown>
}

describe('the simulated Plaid', () => {
  let folder: string
  let running: RunningSimulator<PlaidSimulator>
  const open = (options: Partial<PlaidSimulatorOptions> = {}) =>
    serveSimulator((given) => createPlaidSimulator({ ...options, ...given }), { now: () => NOW, stateFile: join(folder, 'plaid.json') })

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plaid-simulator-'))
    running = await open()
  })
  afterEach(async () => {
    await running.close()
    rmSync(folder, { recursive: true })
  })

  const post = async (path: string, body: object, headers: Record<string, string> = HEADERS): Promise<Answer> => {
    const response = await fetch(`${running.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const answer: unknown = await response.json()
    return { status: response.status, body: Object(answer) }
  }
  const makeItem = async (institution = BANK): Promise<string> => {
    const products = ['transactions', 'liabilities']
    const made = await post('/sandbox/public_token/create', { institution_id: institution, initial_products: products })
    const exchanged = await post('/item/public_token/exchange', { public_token: made.body.public_token })
    return String(exchanged.body.access_token)
  }
  const accountsOf = async (token: string): Promise<unknown> => (await post('/accounts/get', { access_token: token })).body.accounts

  test('keeps its state over a restart and leaves no temporary file behind', async () => {
    const token = await makeItem()
    running.simulator.moveClock(86_400_000)
    const before = await accountsOf(token)
    await running.close()
    running = await open()
    expect(await accountsOf(token)).toEqual(before)
    expect(readdirSync(folder)).toEqual(['plaid.json'])
  })

  test('the same seed yields the same company, another seed a different one', async () => {
    const names = (seed: number) => buildDirectory(seed, 50).map((institution) => institution.name)
    expect(names(1)).toEqual(names(1))
    expect(names(2)).not.toEqual(names(1))
  })

  test('the 400 banks of both countries have unique names', () => {
    const directory = buildDirectory(1, 400)
    expect(new Set(directory.map((institution) => institution.name)).size).toBe(400)
    expect(directory.filter((institution) => institution.country === 'CA').length).toBeGreaterThan(100)
    expect(directory.some((institution) => institution.country === 'CA' && /Credit Union|Caisse/.test(institution.name))).toBe(true)
  })

  test('banks of each country use its currency', async () => {
    const us = JSON.stringify(await accountsOf(await makeItem()))
    const canada = JSON.stringify(await accountsOf(await makeItem('ins_900004')))
    expect([us.includes('"USD"'), us.includes('"CAD"'), canada.includes('"CAD"'), canada.includes('"USD"')]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  test('ninety days have more than 200 transactions', async () => {
    const answer = await post('/transactions/sync', { access_token: await makeItem(), count: 500 })
    expect(Array.isArray(answer.body.added) && answer.body.added.length).toBeGreaterThan(200)
  })

  test('a public token works once', async () => {
    const made = await post('/sandbox/public_token/create', { institution_id: BANK, initial_products: ['transactions'] })
    await post('/item/public_token/exchange', { public_token: made.body.public_token })
    const again = await post('/item/public_token/exchange', { public_token: made.body.public_token })
    expect([again.status, again.body.error_code]).toEqual([400, 'INVALID_PUBLIC_TOKEN'])
  })

  test('a public token expires after half an hour', async () => {
    const made = await post('/sandbox/public_token/create', { institution_id: BANK, initial_products: ['transactions'] })
    running.simulator.moveClock(31 * 60_000)
    expect((await post('/item/public_token/exchange', { public_token: made.body.public_token })).status).toBe(400)
  })

  test('keys may be sent in the body', async () => {
    const answer = await post(
      '/institutions/search',
      { client_id: 'c', secret: 's', query: 'bank', country_codes: ['US'] },
      { 'content-type': 'application/json' },
    )
    expect(answer.status).toBe(200)
  })

  test.each([
    ['keys', '/institutions/search', { query: 'bank', country_codes: ['US'] }, { 'content-type': 'application/json' }, 'MISSING_FIELDS'],
    ['a field', '/accounts/get', {}, HEADERS, 'MISSING_FIELDS'],
    ['a sensible count', '/institutions/get', { count: 501, offset: 0, country_codes: ['US'] }, HEADERS, 'INVALID_FIELD'],
    ['a token that looks like one', '/accounts/get', { access_token: 'x' }, HEADERS, 'INVALID_ACCESS_TOKEN'],
    ['a known bank', '/institutions/get_by_id', { institution_id: 'ins_0', country_codes: ['US'] }, HEADERS, 'INVALID_INSTITUTION'],
    ['a cursor of ours', '/transactions/sync', { access_token: 'access-sandbox-x', cursor: 'x' }, HEADERS, 'ITEM_NOT_FOUND'],
  ])('refuses a request without %s', async (_what, path, body, headers, code) => {
    const answer = await post(path, body, headers)
    expect([answer.status, answer.body.error_code]).toEqual([400, code])
  })

  test('answers an unknown path with a Plaid error', async () => {
    expect((await post('/nothing/here', {})).body.error_code).toBe('NOT_FOUND')
  })

  test('refuses an unknown fault and lists the known ones', () => {
    expect(() => running.simulator.fault('earthquake')).toThrow(/rateLimit/)
  })

  test('a fault occurs as often as it was armed', async () => {
    running.simulator.fault('rateLimit', 2)
    const search = { query: 'bank', country_codes: ['US'] }
    const statuses = [
      await post('/institutions/search', search),
      await post('/institutions/search', search),
      await post('/institutions/search', search),
    ]
    expect(statuses.map((answer) => answer.status)).toEqual([429, 429, 200])
  })

  test('escapes names from outside on the pages', async () => {
    const link = await post('/link/token/create', {
      client_name: '<script>alert(1)</script>',
      language: 'en',
      country_codes: ['US'],
      user: { client_user_id: 'u' },
      products: ['transactions'],
      hosted_link: {},
    })
    const page = await (await fetch(`${link.body.hosted_link_url}?q=${encodeURIComponent('"><script>')}`)).text()
    expect(page).not.toContain('<script>')
  })

  test('can be mounted below the path of a larger server', async () => {
    const nested = await serveSimulator(({ baseUrl, ...given }) =>
      createPlaidSimulator({ ...given, baseUrl: () => `${baseUrl()}/simulators/plaid` }),
    )
    const answer = await fetch(`${nested.url}/simulators/plaid/institutions/search`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ query: 'bank', country_codes: ['US'] }),
    })
    await nested.close()
    expect(answer.status).toBe(200)
  })
})
