import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { accountsPull, BUILDER, CALLBACK, complete, connect, consent, type Harness, openHarness, redirectStep, STUDIO } from './harness.ts'

const harnesses: Harness[] = []

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
      entity: { id: BUILDER, name: 'Cuyahoga Carpentry & Remodeling' },
      email: 'grace@cuyahoga-carpentry.example',
      credentials: { expiresAt: '2026-07-01T23:58:00.000Z' },
    })
  })

  test('a sign-in with several businesses gives one grant for each, to choose from', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, 'nora'))
    expect(grants.map(({ entity }) => entity)).toEqual([
      { id: BUILDER, name: 'Cuyahoga Carpentry & Remodeling' },
      { id: STUDIO, name: 'Studio Riverfront' },
    ])
  })

  test('each of those grants reads its own business', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, 'nora'))
    const counts: number[] = []
    for (const grant of grants) {
      const page = await accountsPull().fetch(sessionOf(at, grant), null)
      counts.push([...accountsPull().read(page.answers)].length)
    }
    expect(counts).toEqual([85, 42])
  })

  test('a repair by somebody with several businesses gives the one that was connected before', async () => {
    const at = await newHarness()
    const [, studio] = await complete(at, await consent(at, 'nora'))
    const repaired = await complete(at, await consent(at, 'nora'), studio?.credentials)
    expect(repaired.map(({ entity }) => entity.id)).toEqual([STUDIO])
  })

  test('a sign-in without a business is refused with words for the owner', async () => {
    const at = await newHarness()
    const outcome = await complete(at, await consent(at, 'sam')).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(InputRefused)
    expect(outcome).toMatchObject({
      text: { en: expect.stringContaining('no business'), 'fr-CA': expect.stringContaining('aucune entreprise') },
    })
  })

  test('an owner who has left every business is refused the same way', async () => {
    const at = await newHarness()
    const back = await consent(at)
    at.simulator.fault('noBusiness')
    expect(await complete(at, back).catch((error: unknown) => error)).toBeInstanceOf(InputRefused)
  })

  test('only reading is asked for', async () => {
    const at = await newHarness()
    const { url } = await redirectStep().start(at.kit, {
      callbackUrl: CALLBACK,
      state: 's',
      locale: 'en',
      webhookUrl: CALLBACK,
      companyId: 'c',
    })
    const scopes = new URL(url).searchParams.get('scope')?.split(' ') ?? []
    expect(scopes.filter((scope) => !scope.endsWith(':read'))).toEqual([])
    expect(scopes).toContain('user:profile:read')
  })

  test('the state comes back as it was given', async () => {
    expect((await consent(await newHarness())).query).toMatchObject({ state: 'state-1' })
  })

  test('an owner who refuses gives no grant', async () => {
    const at = await newHarness()
    const back = await consent(at, 'grace', 'cancel')
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
    const stolen = { query: back.query, memo: { verifier: 'another' } }
    expect((await failureOf(complete(at, stolen))).kind).toBe('reconnect')
  })

  test('a code older than five minutes is refused', async () => {
    const at = await newHarness()
    const back = await consent(at)
    at.moveTime(301_000)
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
    expect((await connect(at)).entity.id).not.toBe(BUILDER)
  })

  test('an identity that cannot be read is bad data', async () => {
    const at = await newHarness()
    const back = await consent(at)
    const http: typeof at.kit.http = async (call) =>
      call.url.endsWith('/users/me')
        ? { status: 200, headers: {}, body: Buffer.from('{"response":{"business_memberships":7}}') }
        : at.kit.http(call)
    expect((await failureOf(complete({ ...at, kit: { ...at.kit, http } }, back))).kind).toBe('badData')
  })
})

test('the consent page speaks French to a French browser', async () => {
  const at = await newHarness()
  const { url } = await redirectStep().start(at.kit, {
    callbackUrl: CALLBACK,
    state: 's',
    locale: 'fr-CA',
    webhookUrl: CALLBACK,
    companyId: 'c',
  })
  const page = await request(url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Autoriser<\/button>/)
})
