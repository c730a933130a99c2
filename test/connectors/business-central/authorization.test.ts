import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import {
  CALLBACK,
  complete,
  connect,
  consent,
  DENTAL,
  ERABLE,
  type Harness,
  NORDLYS,
  openHarness,
  pullNamed,
  redirectStep,
  refresh,
  runPull,
  SECRET,
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

describe('connecting', () => {
  test('the owner signs in and comes back with a grant for the company in the production environment', async () => {
    const at = await newHarness()
    expect(await complete(at, await consent(at))).toMatchObject([
      {
        entity: { id: DENTAL, name: 'Bow River Dental Professional Corporation' },
        credentials: { expiresAt: '2026-07-01T13:13:00.000Z', secret: { environment: 'Production' } },
      },
    ])
  })

  test('a person who opens several companies gets a grant for each, whatever the environment', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, 'luc'))
    expect(grants.map(({ entity }) => [entity.id, entity.name])).toEqual([
      [ERABLE, 'Érable en ligne'],
      [NORDLYS, 'Nordlys Lamper ApS'],
    ])
  })

  test('an environment that is closed to the person is left out', async () => {
    const at = await newHarness()
    expect((await complete(at, await consent(at, 'anna'))).map(({ entity }) => entity.id)).toEqual([ERABLE])
  })

  test('a sandbox environment counts where there is no other', async () => {
    const at = await newHarness()
    expect((await connect(at, 'freja')).credentials.secret).toMatchObject({ environment: 'Trial', companyId: NORDLYS })
  })

  test('a sign-in without a company is told to the owner in both languages', async () => {
    const at = await newHarness()
    const outcome = await complete(at, await consent(at, 'sam')).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(InputRefused)
    expect(outcome).toMatchObject({ text: { en: expect.stringMatching(/no Business Central/), 'fr-CA': expect.stringMatching(/aucune/) } })
  })

  test('a repair names the company that was connected before', async () => {
    const at = await newHarness()
    const before = await connect(at, 'luc', NORDLYS)
    const grants = await complete(at, await consent(at, 'luc'), before.credentials)
    expect(grants.map(({ entity }) => entity.id)).toEqual([NORDLYS])
  })

  test('a repair by a person who does not open that company names what this one opens', async () => {
    const at = await newHarness()
    const before = await connect(at, 'erin')
    at.simulator.fault('wrongEntity')
    expect((await complete(at, await consent(at, 'erin'), before.credentials)).map(({ entity }) => entity.id)).toEqual([ERABLE, NORDLYS])
  })

  test('the state comes back as it was given', async () => {
    expect((await consent(await newHarness())).query).toMatchObject({ state: 'state-1' })
  })

  test('an owner who cancels gives no grant', async () => {
    const at = await newHarness()
    const refused = await consent(at, 'erin', 'cancel')
    expect(refused.query).toMatchObject({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, refused))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const agreed = await consent(at)
    await complete(at, agreed)
    expect(await failureOf(complete(at, agreed))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a code is worth nothing with the verifier of another authorization', async () => {
    const at = await newHarness()
    const [one, other] = [await consent(at), await consent(at)]
    expect((await failureOf(complete(at, { query: one.query, memo: other.memo }))).kind).toBe('reconnect')
  })

  test('a callback without a code is refused without a call', async () => {
    const at = await newHarness()
    const { memo } = await consent(at)
    const calls = at.asked.length
    expect((await failureOf(complete(at, { query: { state: 'state-1' }, memo }))).kind).toBe('badData')
    expect(at.asked).toHaveLength(calls)
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(2 * HOUR_MS)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await runPull(sessionOf(at, { ...grant, credentials }), pullNamed('accounts'))).pages).toHaveLength(1)
  })

  test('each refresh brings a new refresh token and keeps the way to the company', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const { refreshToken: old, accessToken: _, ...place } = Object(credentials.secret)
    const next = Object((await refresh(at, credentials)).secret)
    expect(next).toMatchObject(place)
    expect(next.refreshToken).not.toBe(old)
  })

  test('two connections of one sign-in refresh without disturbing each other', async () => {
    const at = await newHarness()
    const [one, other] = await complete(at, await consent(at, 'luc'))
    const first = await refresh(at, one?.credentials ?? { secret: null, expiresAt: null })
    await refresh(at, other?.credentials ?? { secret: null, expiresAt: null })
    expect(await refresh(at, first)).toMatchObject({ secret: { companyId: ERABLE } })
  })

  test('an answer that was lost on the way breaks nothing', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.simulator.fault('lostRefresh')
    expect((await failureOf(refresh(at, credentials))).kind).toBe('unavailable')
    expect(await refresh(at, credentials)).toMatchObject({ secret: { companyId: DENTAL } })
  })

  test('a refresh token that was not used for 90 days needs the owner', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(91 * 24 * HOUR_MS)
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
    const { credentials } = await connect(at)
    at.simulator.fault(fault)
    expect((await failureOf(refresh(at, credentials))).kind).toBe(kind)
  })

  test('a refused app key is told as the operator’s to mend, with Microsoft’s code', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(/AADSTS7000215.*clientSecret/) })
  })
})

describe('secrets', () => {
  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(refresh(at, credentials)), { depth: 10 })
      const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
      expect([accessToken, refreshToken, SECRET].filter((secret) => shown.includes(secret))).toEqual([])
    },
  )

  test.each(['unauthorized', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'companyGone'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null)), { depth: 10 })
      expect(shown.includes(Object(grant.credentials.secret).accessToken)).toBe(false)
    },
  )
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
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Accepter<\/button>/)
})
