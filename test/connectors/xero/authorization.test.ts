import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import {
  CALLBACK,
  complete,
  connect,
  consent,
  DENTIST,
  type Harness,
  openHarness,
  PHYSIO,
  pullNamed,
  redirectStep,
  refresh,
  SECRET,
} from './harness.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
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
  test('the owner signs in, picks an organisation and comes back with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, PHYSIO)).toMatchObject({
      entity: { id: PHYSIO, name: 'Physio Saint-Boniface' },
      credentials: { expiresAt: '2026-07-01T12:28:00.000Z' },
    })
  })

  test('what the sign-in connected before is not granted again, and a practice is no organisation', async () => {
    const at = await newHarness()
    await connect(at, DENTIST)
    expect((await connect(at, PHYSIO)).entity.id).toBe(PHYSIO)
  })

  test('the state comes back as it was given', async () => {
    expect((await consent(await newHarness(), DENTIST)).query).toMatchObject({ state: 'state-1' })
  })

  test('the code is proved by a verifier of this very authorization', async () => {
    const at = await newHarness()
    const { query } = await consent(at, DENTIST)
    const failure = await failureOf(complete(at, { query, memo: { verifier: 'another-verifier' } }))
    expect(failure).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('the address shows the challenge and never the verifier', async () => {
    const { url, memo } = await start(await newHarness())
    const { verifier } = { verifier: '', ...Object(memo) }
    expect(verifier).toMatch(/^[\w-]{43,128}$/)
    expect(url).toContain('code_challenge_method=S256')
    expect(url).not.toContain(verifier)
  })

  test.each([
    ['yes', true],
    ['no', false],
  ] as const)('an app with journals "%s" asks for their scope: %s', async (journals, asks) => {
    const { url } = await start(await newHarness({ journals }))
    expect(new URL(url).searchParams.get('scope')?.includes('accounting.journals.read')).toBe(asks)
  })

  test('only scopes for reading are asked for', async () => {
    const { url } = await start(await newHarness())
    const scopes = new URL(url).searchParams.get('scope')?.split(' ') ?? []
    expect(scopes.filter((scope) => scope !== 'offline_access' && !scope.endsWith('.read'))).toEqual([])
  })

  test('an owner who declines gives no grant', async () => {
    const at = await newHarness()
    const back = await consent(at, DENTIST, 'deny')
    expect(back.query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, back))).kind).toBe('reconnect')
  })

  test('a login with no organisation is told so in both languages', async () => {
    const at = await newHarness()
    const outcome = await complete(at, await consent(at, '', 'allow', 'sam')).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(InputRefused)
    expect(Object(outcome).text['fr-CA']).toContain('aucune organisation')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const back = await consent(at, DENTIST)
    await complete(at, back)
    expect(await failureOf(complete(at, back))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a callback without a code is refused without a call', async () => {
    const at = await newHarness()
    expect((await failureOf(complete(at, { query: { state: 's' }, memo: { verifier: 'v' } }))).kind).toBe('badData')
    expect(at.exchanges).toEqual([])
  })

  test('the organisation that was really connected is the one that is named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await connect(at, DENTIST)).entity.id).not.toBe(DENTIST)
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at, DENTIST)
    at.moveTime(31 * MINUTE_MS)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).message).toContain('TokenExpired')
    const credentials = await refresh(at, grant.credentials)
    expect((await pullNamed('accounts').fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('each refresh token is used once: the new one is kept and the old one ends after its grace', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, DENTIST)
    const next = await refresh(at, credentials)
    expect(next.secret).not.toEqual(credentials.secret)
    at.moveTime(31 * MINUTE_MS)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
    expect((await refresh(at, next)).expiresAt).not.toBeNull()
  })

  test('a rotated token that was lost on the way is asked for again within half an hour', async () => {
    const at = await newHarness()
    const grant = await connect(at, DENTIST)
    at.simulator.fault('lostRefresh')
    expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('unavailable')
    at.moveTime(29 * MINUTE_MS)
    const credentials = await refresh(at, grant.credentials)
    expect((await pullNamed('accounts').fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('a refresh token that lay unused for 60 days needs the owner', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, DENTIST)
    at.moveTime(60 * DAY_MS + 1)
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
    const { credentials } = await connect(at, DENTIST)
    at.simulator.fault(fault)
    expect((await failureOf(refresh(at, credentials))).kind).toBe(kind)
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, DENTIST)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })
})

describe('leaving', () => {
  test('a disconnect takes this organisation from the app and leaves the others of the same person', async () => {
    const at = await newHarness()
    const dentist = await connect(at, DENTIST)
    const physio = await connect(at, PHYSIO)
    await xeroConnector.disconnect?.(at.kit, dentist.credentials)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, dentist), null))).message).toContain('403')
    expect((await pullNamed('accounts').fetch(sessionOf(at, physio), null)).next).toBeNull()
  })

  test('with the last organisation the person’s tokens end too', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, DENTIST)
    await xeroConnector.disconnect?.(at.kit, credentials)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('an access token that has ended is renewed for the farewell', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, DENTIST)
    at.moveTime(31 * MINUTE_MS)
    await xeroConnector.disconnect?.(at.kit, credentials)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a disconnect of what the owner has already ended is no failure', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, DENTIST)
    at.simulator.revoke(DENTIST)
    expect(await xeroConnector.disconnect?.(at.kit, credentials)).toBeUndefined()
  })
})

describe('secrets', () => {
  function secretsOf(credentials: { secret: unknown }): string[] {
    const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
    return [accessToken, refreshToken, SECRET, Buffer.from(`app:${SECRET}`).toString('base64')]
  }

  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at, DENTIST)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(refresh(at, credentials)), { depth: 10 })
      expect(secretsOf(credentials).filter((secret) => shown.includes(secret))).toEqual([])
    },
  )

  test.each(['unauthorized', 'revoked', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'badRequest'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at, DENTIST)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null)), { depth: 10 })
      expect(secretsOf(grant.credentials).filter((secret) => shown.includes(secret))).toEqual([])
    },
  )
})

test('the consent page speaks French to a French browser and needs no script', async () => {
  const { url } = await start(await newHarness())
  const page = await (await request(url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })).body.text()
  expect(page).toMatch(/<html lang="fr-CA">[\s\S]*Bow Valley Dental – Calgary[\s\S]*>Autoriser<\/button>/)
  expect(page).not.toContain('<script')
})
