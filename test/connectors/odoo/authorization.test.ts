import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { odooConnector } from '../../../src/connectors/odoo/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, refusalOf, sessionOf } from '../../harness/connector-calls.ts'
import { refusalOfServer, submit } from '../../harness/form.ts'
import { BAKERY, CANARY, openHarness, PRIYA, SALES } from './harness.ts'

const newHarness = closedAfterEach(openHarness)

describe.each([12, 13, 15, 16, 17, 18, 19, 22])('connecting to Odoo %i', (version) => {
  test('returns a grant for the user’s own company', async () => {
    expect(await submit(await newHarness({ version }))).toEqual({
      credentials: { secret: expect.objectContaining({ userId: 6, companyId: BAKERY, language: 'fr_CA' }), expiresAt: null },
      entity: { id: 'sandbox/1/2022-01-03 13:02:11', name: 'Boulangerie du Plateau' },
      email: 'marie@tremblay-cpa.example',
    })
  })

  test('reports a wrong key beside the key', async () => {
    expect(await refusalOf(submit(await newHarness({ version }), { apiKey: 'sandbox-key-guessed' }))).toMatchObject({ field: 'apiKey' })
  })

  test('reports an unknown database beside the database', async () => {
    expect(await refusalOf(submit(await newHarness({ version }), { database: 'Sandbox2' }))).toMatchObject({ field: 'database' })
  })

  test('reports a user without accounting access beside the user', async () => {
    expect(await refusalOf(submit(await newHarness({ version }), SALES))).toMatchObject({ field: 'user' })
  })
})

describe('the protocol', () => {
  test('is JSON-2 only from version 19', async () => {
    const at = await newHarness({ version: 19 })
    await submit(at)
    expect(at.simulator.listRequests().filter(({ what }) => what !== '/web/version' && !what.startsWith('/json/2/'))).toEqual([])
  })

  test('is JSON-RPC only before that', async () => {
    const at = await newHarness({ version: 18 })
    await submit(at)
    expect(at.simulator.listRequests().filter(({ what }) => what.startsWith('/json/'))).toEqual([])
  })

  test('follows an upgrade of the server without a new key', async () => {
    const at = await newHarness({ version: 18 })
    const session = sessionOf(at, await submit(at))
    at.simulator.upgrade(22)
    expect((await pullNamed(odooConnector, 'accounts').fetch(session, null)).listing).toBe('complete')
  })
})

describe('the selected company', () => {
  test.each(['Bow River Dental Group', ' bow river DENTAL group ', '2'])('may be typed as "%s"', async (company) => {
    expect((await submit(await newHarness(), { company })).entity.name).toBe('Bow River Dental Group')
  })

  test('yields separate entities for two companies', async () => {
    const at = await newHarness()
    const ids = [await submit(at), await submit(at, { company: '2' }), await submit(at, PRIYA)].map((grant) => grant.entity.id)
    expect(ids).toEqual(['sandbox/1/2022-01-03 13:02:11', 'sandbox/2/2023-04-11 16:40:05', 'sandbox/2/2023-04-11 16:40:05'])
  })

  test('that does not belong to the user is refused with the list of those that do', async () => {
    const refusal = await refusalOf(submit(await newHarness(), { company: 'Giant Holdings' }))
    expect(refusal).toMatchObject({ field: 'company', text: { 'fr-CA': expect.stringContaining('Boulangerie du Plateau, Bow River') } })
  })

  test('in version 12 is the current company only', async () => {
    expect(await refusalOf(submit(await newHarness({ version: 12 }), { company: 'Bow River Dental Group' }))).toMatchObject({
      field: 'company',
    })
  })
})

describe('the form', () => {
  test('accepts an address copied from a page of Odoo', async () => {
    const at = await newHarness()
    for (const path of ['/', '/odoo', '/odoo/accounting/12', '/web/login']) {
      expect((await submit(at, { address: `${at.url}${path}` })).credentials.secret).toMatchObject({ address: at.url })
    }
  })

  test.each(['', 'http://', 'https://a:b@example.com'])('refuses "%s" as an address', async (address) => {
    expect(await refusalOf(submit(await newHarness(), { address }))).toMatchObject({ field: 'address' })
  })

  test('refuses a key that belongs to another user', async () => {
    expect(await refusalOf(submit(await newHarness(), { user: PRIYA.user }))).toMatchObject({ field: 'user' })
  })

  test.each<[string, number, string, RegExp]>([
    ['a page of HTML', 200, '<!doctype html><title>Bienvenue</title>', /not Odoo/],
    ['JSON of something else', 200, '{"status":"ok"}', /not Odoo/],
    ['nothing but 404', 404, '', /not Odoo/],
    ['an Odoo before 12', 200, '{"jsonrpc":"2.0","result":{"server_version_info":[11,0,0,"final",0,""]}}', /too old/],
  ])('reports %s beside the address', async (_case, status, body, text) => {
    const refusal = await refusalOfServer(await newHarness(), status, body)
    expect(refusal).toMatchObject({ field: 'address', message: expect.stringMatching(text) })
  })

  test('reports an unreachable server beside the address', async () => {
    const at = await newHarness()
    at.simulator.fault('unavailable')
    expect(await refusalOf(submit(at))).toMatchObject({ field: 'address' })
  })

  test('waits if the server asks to wait', async () => {
    const at = await newHarness()
    at.simulator.fault('throttle')
    expect(await failureOf(submit(at))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 60_000 })
  })

  test('reveals no key in an error', async () => {
    const at = await newHarness()
    for (const typed of [{ apiKey: 'sandbox-key-guessed' }, { database: 'x' }, { user: 'x' }, { company: 'x' }, SALES]) {
      expect(inspect(await refusalOf(submit(at, typed)), { depth: 10 })).not.toMatch(CANARY)
    }
  })
})

describe('the simulator', () => {
  test('keeps revoked keys and edits over a restart', async () => {
    const stateFile = join(mkdtempSync(join(tmpdir(), 'odoo-')), 'state.json')
    const before = await newHarness({ stateFile })
    before.simulator.editAccount(BAKERY, 100_001, { name: 'Renommé' })
    before.simulator.fault('revoked')
    await refusalOf(submit(before))
    const after = await newHarness({ stateFile })
    expect(await refusalOf(submit(after))).toMatchObject({ field: 'apiKey' })
    expect(after.simulator.editAccount(BAKERY, 100_001, {})).toMatchObject({ name: 'Renommé' })
  })
})
