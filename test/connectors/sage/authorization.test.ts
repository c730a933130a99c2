import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { BAKERY, CALLBACK, complete, connect, consent, type Harness, openHarness, pullNamed, redirectStep, SHOP } from './harness.ts'

const harnesses: Harness[] = []
const accounts = pullNamed('accounts')

async function newHarness(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const made = await openHarness(options)
  harnesses.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((each) => each.close()))
})

describe('connecting', () => {
  test('the owner signs in and comes back with a grant for the business', async () => {
    expect(await connect(await newHarness())).toMatchObject({
      entity: { id: BAKERY, name: 'Boulangerie La Croûte dorée' },
      email: 'lucie@croute-doree.example',
      credentials: { expiresAt: '2026-07-01T12:04:45.000Z' },
    })
  })

  test('a sign-in with several businesses gives one grant for each, to choose from', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, 'rene'))
    expect(grants.map(({ entity }) => entity)).toEqual([
      { id: SHOP, name: 'Comptoir de l’Île' },
      { id: BAKERY, name: 'Boulangerie La Croûte dorée' },
    ])
  })

  test('each of those grants reads its own business, the lead business or not', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, 'rene'))
    const counts: number[] = []
    for (const grant of grants) {
      const page = await accounts.fetch(sessionOf(at, grant), null)
      counts.push([...accounts.read(page.answers)].length)
    }
    expect(counts).toEqual([27, 85])
  })

  test('every call about a business names it', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    await accounts.fetch(sessionOf(at, grant), null)
    const named = at.simulator.listRequests().filter(({ path }) => /ledger_accounts|financial_settings/.test(path))
    expect(named.map(({ business }) => business)).toEqual([BAKERY, BAKERY])
  })

  test('a repair by somebody with several businesses gives the one that was connected before', async () => {
    const at = await newHarness()
    const [, bakery] = await complete(at, await consent(at, 'rene'))
    const repaired = await complete(at, await consent(at, 'rene'), bakery?.credentials)
    expect(repaired.map(({ entity }) => entity.id)).toEqual([BAKERY])
  })

  test('a sign-in without a business is refused with words for the owner', async () => {
    const at = await newHarness()
    const outcome = await complete(at, await consent(at, 'sam')).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(InputRefused)
    expect(outcome).toMatchObject({
      text: { en: expect.stringContaining('no business'), 'fr-CA': expect.stringContaining('aucune entreprise') },
    })
  })

  test('an owner who has lost every business is refused the same way', async () => {
    const at = await newHarness()
    const back = await consent(at)
    at.simulator.fault('noBusiness')
    expect(await complete(at, back).catch((error: unknown) => error)).toBeInstanceOf(InputRefused)
  })

  test('only reading is asked for, with the version of the API and the owner’s language', async () => {
    const at = await newHarness()
    const { url } = await redirectStep().start(at.kit, {
      callbackUrl: CALLBACK,
      state: 's',
      locale: 'fr-CA',
      webhookUrl: CALLBACK,
      companyId: 'c',
    })
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ scope: 'readonly', filter: 'apiv3.1', locale: 'fr-CA' })
  })

  test('the state comes back as it was given', async () => {
    expect((await consent(await newHarness())).query).toMatchObject({ state: 'state-1', country: 'CA' })
  })

  test('an owner who refuses gives no grant', async () => {
    const at = await newHarness()
    const back = await consent(at, 'lucie', 'cancel')
    expect(back.query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, back))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const back = await consent(at)
    await complete(at, back)
    expect(await failureOf(complete(at, back))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a code is worth nothing without the verifier of the browser that left', async () => {
    const at = await newHarness()
    const back = await consent(at)
    expect((await failureOf(complete(at, { query: back.query, memo: { verifier: 'another' } }))).kind).toBe('reconnect')
  })

  test('a code older than a minute is refused', async () => {
    const at = await newHarness()
    const back = await consent(at)
    at.moveTime(61_000)
    expect((await failureOf(complete(at, back))).kind).toBe('reconnect')
  })

  test.each([
    ['no code', { query: { state: 's' }, memo: { verifier: 'v' } }],
    ['no memo', { query: { code: 'c' }, memo: null }],
  ])('a callback with %s is refused without a call', async (_what, back) => {
    const at = await newHarness()
    expect((await failureOf(complete(at, back))).kind).toBe('badData')
    expect(at.simulator.listRequests()).toEqual([])
  })

  test('the person who really signed in decides which business is named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await connect(at)).entity.id).not.toBe(BAKERY)
  })
})

test('the consent page speaks the language that the connector asks for', async () => {
  const at = await newHarness()
  const { url } = await redirectStep().start(at.kit, {
    callbackUrl: CALLBACK,
    state: 's',
    locale: 'fr-CA',
    webhookUrl: CALLBACK,
    companyId: 'c',
  })
  const page = await request(url, { headers: { 'accept-language': 'en' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Autoriser<\/button>/)
})
