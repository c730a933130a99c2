import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { erpnextConnector } from '../../../src/connectors/erpnext/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, listItems, pullNamed, refusalOf, sessionOf } from '../../harness/connector-calls.ts'
import { refusalOfServer, submit } from '../../harness/form.ts'
import { ATELIER, CANARY, NEWCOMER, NOOR, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)

describe('connecting', () => {
  test('returns a grant for the typed company', async () => {
    expect(await submit(await newHarness())).toEqual({
      credentials: { secret: expect.objectContaining({ abbreviation: ATELIER }), expiresAt: null },
      entity: { id: 'AB/2022-01-04 09:12:44.102938', name: 'Atelier Boréal inc.' },
      email: 'marie@tremblay-cpa.example',
    })
  })

  test.each(['Prairie Outfitters Ltd.', ' prairie OUTFITTERS ltd. ', 'po'])('accepts "%s" as a company', async (company) => {
    expect((await submit(await newHarness(), { company })).entity.id).toBe('PO/2023-03-01 15:40:02.771204')
  })

  test('needs no company if the user sees only one, and names the same entity', async () => {
    const at = await newHarness()
    expect((await submit(at, NOOR)).entity).toEqual((await submit(at, { company: 'PO' })).entity)
  })

  test('asks for the company if there are several, and lists them', async () => {
    const refusal = await refusalOf(submit(await newHarness(), { company: '' }))
    expect(refusal).toMatchObject({
      field: 'company',
      text: { en: expect.stringContaining('Atelier Boréal inc., Prairie Outfitters Ltd.') },
    })
  })

  test('refuses a company that the user cannot see', async () => {
    expect(await refusalOf(submit(await newHarness(), { company: 'Giant Holdings' }))).toMatchObject({ field: 'company' })
  })

  test('accepts an address copied from a page of ERPNext', async () => {
    const at = await newHarness()
    for (const path of ['/', '/app', '/app/account/view/tree', '/login']) {
      expect((await submit(at, { address: `${at.url}${path}` })).credentials.secret).toMatchObject({ address: at.url })
    }
  })
})

describe('the form reports', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a secret that is wrong', { apiSecret: 'sandbox-secret-guessed' }, 'apiSecret'],
    ['a key that is unknown', { apiKey: 'feedface' }, 'apiSecret'],
    ['an empty key', { apiKey: '', apiSecret: '' }, 'apiSecret'],
    ['a user without the role', SHOP, 'apiKey'],
    ['a user without a company', NEWCOMER, 'apiKey'],
    ['an empty address', { address: '' }, 'address'],
    ['a password in the address', { address: 'https://a:b@example.com' }, 'address'],
  ])('%s, and reveals no secret', async (_case, typed, field) => {
    const refusal = await refusalOf(submit(await newHarness(), typed))
    expect(refusal.field).toBe(field)
    expect(inspect(refusal, { depth: 10 })).not.toMatch(CANARY)
  })

  test.each(['updating', 'badGateway', 'noSite'])('the address at %s', async (fault) => {
    const at = await newHarness()
    at.simulator.fault(fault)
    expect(await refusalOf(submit(at))).toMatchObject({ field: 'address' })
  })

  test.each<[string, number, string]>([
    ['a page of HTML', 200, '<!doctype html><title>Bienvenue</title>'],
    ['JSON of something else', 200, '{"status":"ok"}'],
    ['a redirect', 301, ''],
  ])('the address for %s', async (_case, status, body) => {
    const refusal = await refusalOfServer(await newHarness(), status, body, { location: '/elsewhere' })
    expect(refusal).toMatchObject({ field: 'address', message: expect.stringMatching(/not ERPNext/) })
  })

  test('the address of an ERPNext before 13', async () => {
    const refusal = await refusalOf(submit(await newHarness({ version: 12 })))
    expect(refusal).toMatchObject({ field: 'address', message: expect.stringMatching(/too old/) })
  })

  test('no field while the site asks to wait', async () => {
    const at = await newHarness()
    at.simulator.fault('throttle')
    expect(await failureOf(submit(at))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 31_000 })
  })
})

describe('a connected company', () => {
  test('is still found under a new name', async () => {
    const at = await newHarness()
    const session = sessionOf(at, await submit(at))
    at.simulator.renameCompany(ATELIER, 'Ébénisterie Boréale inc.')
    expect(idsOf(await listItems(session, pullNamed(erpnextConnector, 'accounts'))).length).toBeGreaterThan(60)
    expect((await submit(at)).entity).toEqual({ id: session.entityId, name: 'Ébénisterie Boréale inc.' })
  })
})

describe('the simulator', () => {
  test('keeps replaced secrets and edits over a restart', async () => {
    const stateFile = join(mkdtempSync(join(tmpdir(), 'erpnext-')), 'state.json')
    const before = await newHarness({ stateFile })
    before.simulator.editAccount(ATELIER, '1101 - Petite caisse - AB', { account_name: 'Caissette' })
    before.simulator.fault('revoked')
    await refusalOf(submit(before))
    const after = await newHarness({ stateFile })
    expect(await refusalOf(submit(after))).toMatchObject({ field: 'apiSecret' })
    expect(after.simulator.editAccount(ATELIER, '1101 - Petite caisse - AB', {})).toMatchObject({ account_name: 'Caissette' })
  })
})
