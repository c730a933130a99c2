import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import {
  CALLBACK,
  complete,
  connect,
  consent,
  type Harness,
  MAKER,
  openHarness,
  pullNamed,
  redirectStep,
  refresh,
  SECRET,
  SHOP,
} from './harness.ts'

const HOUR_MS = 3_600_000
const harnesses: Harness[] = []

async function newHarness(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const made = await openHarness(options)
  harnesses.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((each) => each.close()))
})

function start(at: Harness) {
  return redirectStep().start(at.kit, { callbackUrl: CALLBACK, state: 's', locale: 'en', webhookUrl: CALLBACK, companyId: 'c' })
}

describe('connecting', () => {
  test('the sign-in gives one grant for each organization of the person', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at))
    expect(grants.map(({ entity }) => entity)).toEqual([
      { id: SHOP, name: 'Lantern & Loom Goods' },
      { id: MAKER, name: 'Atelier Luciole' },
    ])
    expect(grants[0]?.credentials.expiresAt).toBe('2026-07-01T12:58:00.000Z')
  })

  test('the callback says where the person lives, and the state comes back as it was given', async () => {
    const at = await newHarness()
    expect(await consent(at)).toMatchObject({ state: 'state-1', location: 'ca', 'accounts-server': at.url })
  })

  test('a refresh token is asked for even of a person who has agreed before', async () => {
    const { searchParams } = new URL((await start(await newHarness())).url)
    expect([searchParams.get('access_type'), searchParams.get('prompt')]).toEqual(['offline', 'consent'])
  })

  test('only scopes for reading are asked for', async () => {
    const scopes = new URL((await start(await newHarness())).url).searchParams.get('scope')?.split(',') ?? []
    expect(scopes.filter((scope) => !scope.endsWith('.READ'))).toEqual([])
  })

  test('an owner who declines gives no grant', async () => {
    const at = await newHarness()
    const query = await consent(at, 'mei', 'deny')
    expect(query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, query))).kind).toBe('reconnect')
  })

  test('a login with no organization is told so in both languages', async () => {
    const at = await newHarness()
    const outcome = await complete(at, await consent(at, 'sam')).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(InputRefused)
    expect(Object(outcome).text['fr-CA']).toContain('aucune organisation')
  })

  test('a code is good for one exchange only, which Zoho tells under status 200', async () => {
    const at = await newHarness()
    const query = await consent(at)
    await complete(at, query)
    expect(await failureOf(complete(at, query))).toMatchObject({
      kind: 'reconnect',
      message: expect.stringContaining('200 to the request for a token (invalid_code)'),
    })
  })

  test('the organizations that the token opens are the ones that are named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    const grants = await complete(at, await consent(at))
    expect(grants.some(({ entity }) => entity.id === SHOP)).toBe(false)
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at, SHOP)
    at.moveTime(HOUR_MS + 1000)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await pullNamed('accounts').fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('the refresh token stays as it is, so that a lost answer costs nothing', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    at.simulator.fault('lostRefresh')
    expect((await failureOf(refresh(at, credentials))).kind).toBe('unavailable')
    const next = await refresh(at, credentials)
    expect(Object(next.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
  })

  test('an eleventh access token within ten minutes has to wait', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    for (let times = 0; times < 9; times++) await refresh(at, credentials)
    expect(await failureOf(refresh(at, credentials))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 600_000 })
    at.moveTime(600_001)
    expect((await refresh(at, credentials)).expiresAt).not.toBeNull()
  })

  test('the twenty-first authorization of a person ends the first', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    for (let times = 0; times < 20; times++) await connect(at, SHOP)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test.each([
    ['revoked', 'reconnect'],
    ['invalidClient', 'unavailable'],
    ['tokenUnavailable', 'unavailable'],
    ['lostRefresh', 'unavailable'],
    ['tokenThrottled', 'rateLimited'],
    ['tokenHtml', 'badData'],
  ])('%s during a refresh is %s', async (fault, kind) => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    at.simulator.fault(fault)
    expect((await failureOf(refresh(at, credentials))).kind).toBe(kind)
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })

  test('credentials of another shape need the owner', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    const secret = { ...Object(credentials.secret), accountsAt: 'toString' }
    expect((await failureOf(refresh(at, { ...credentials, secret }))).kind).toBe('reconnect')
  })
})

describe('leaving', () => {
  test('a disconnect ends this authorization and no other of the same person', async () => {
    const at = await newHarness()
    const [one, other] = [await connect(at, SHOP), await connect(at, MAKER)]
    await zohoConnector.disconnect?.(at.kit, one.credentials)
    expect((await failureOf(refresh(at, one.credentials))).kind).toBe('reconnect')
    expect((await refresh(at, other.credentials)).expiresAt).not.toBeNull()
  })

  test('a disconnect of what the owner has already ended is no failure', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    at.simulator.revoke('mei')
    expect(await zohoConnector.disconnect?.(at.kit, credentials)).toBeUndefined()
  })
})

describe('secrets', () => {
  function secretsOf(credentials: { secret: unknown }): string[] {
    const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
    return [accessToken, refreshToken, SECRET]
  }

  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'tokenThrottled', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at, SHOP)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(refresh(at, credentials)), { depth: 10 })
      expect(secretsOf(credentials).filter((secret) => shown.includes(secret))).toEqual([])
    },
  )

  test('no error of a farewell shows the token that stood in its address', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, SHOP)
    await at.close()
    harnesses.splice(harnesses.indexOf(at), 1)
    const shown = inspect(await failureOf(zohoConnector.disconnect?.(at.kit, credentials) ?? Promise.resolve()), { depth: 10 })
    expect(secretsOf(credentials).filter((secret) => shown.includes(secret))).toEqual([])
  })

  test.each(['unauthorized', 'revoked', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'errorInSuccess'])(
    'no error of a pull shows a token or a name: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at, SHOP)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null)), { depth: 10 })
      expect([...secretsOf(grant.credentials), 'Mei-Ling'].filter((secret) => shown.includes(secret))).toEqual([])
    },
  )
})

test('the consent page speaks French to a French browser and needs no script', async () => {
  const { url } = await start(await newHarness())
  const page = await (await request(url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })).body.text()
  expect(page).toMatch(/<html lang="fr-CA">[\s\S]*Zoho Books[\s\S]*>Autoriser<\/button>/)
  expect(page).not.toContain('<script')
})
