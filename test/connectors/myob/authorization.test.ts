import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { myobConnector } from '../../../src/connectors/myob/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { BAKERY, BUILDER, complete, connect, consent, type Harness, openHarness, pullNamed, refresh, SECRET, start } from './harness.ts'

const HOUR_MS = 3_600_000
const accounts = pullNamed('accounts')
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
  test('an administrator signs in, picks a business and comes back with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, { login: 'aroha', businessId: BUILDER })).toMatchObject({
      entity: { id: BUILDER, name: 'Kererū Contracting Ltd' },
      email: 'aroha@ngata-ca.example',
      credentials: { expiresAt: '2026-07-01T12:19:00.000Z' },
    })
  })

  test('state and business come back as they were given', async () => {
    expect(await consent(await newHarness())).toMatchObject({ state: 'state-1', businessId: BAKERY })
  })

  test('an owner who refuses gives no grant', async () => {
    const at = await newHarness()
    const query = await consent(at, { decision: 'deny' })
    expect(query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, query))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const query = await consent(at)
    await complete(at, query)
    expect(await failureOf(complete(at, query))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a business that was written into the callback by hand is not believed', async () => {
    const at = await newHarness()
    const query = await consent(at)
    expect((await failureOf(complete(at, { ...query, businessId: BUILDER }))).kind).toBe('reconnect')
  })

  test.each([{ businessId: '../../x' }, { code: '' }])('a callback with %j is refused without a call', async (wrong) => {
    const at = await newHarness()
    const query = await consent(at)
    const calls = at.simulator.listRequests().length
    expect((await failureOf(complete(at, { ...query, ...wrong }))).kind).toBe('badData')
    expect(at.simulator.listRequests()).toHaveLength(calls)
  })

  test('a sign-in without a business is told so, in both languages', async () => {
    const at = await newHarness()
    const refusal = await complete(at, await consent(at, { login: 'sam' })).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InputRefused)
    expect(refusal).toMatchObject({
      text: { en: expect.stringContaining('no business'), 'fr-CA': expect.stringContaining('aucune entreprise') },
    })
  })

  test('the business that was really shared is the one that is named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await connect(at, { login: 'aroha', businessId: BUILDER })).entity.id).toBe(BAKERY)
  })

  test('an older key gives a grant for each company file, and a repair only the one of before', async () => {
    const at = await newHarness({ picksBusiness: false })
    const grants = await complete(at, await consent(at, { login: 'aroha' }))
    expect(grants.map(({ entity }) => entity.id)).toEqual([BUILDER, BAKERY])
    const again = await complete(at, await consent(at, { login: 'aroha' }), grants[1]?.credentials)
    expect(again.map(({ entity }) => entity.id)).toEqual([BAKERY])
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(HOUR_MS / 3 + 1000)
    expect((await failureOf(accounts.fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await accounts.fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('each refresh token works once', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    await refresh(at, await refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a connection that nobody refreshed for a week must be connected again', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(6 * 24 * HOUR_MS)
    const second = await refresh(at, credentials)
    at.moveTime(8 * 24 * HOUR_MS)
    expect((await failureOf(refresh(at, second))).kind).toBe('reconnect')
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

  test('after a rotated token was lost on the way only a reconnect helps', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.simulator.fault('lostRefresh')
    await failureOf(refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })

  test('what was authorized before the simulator’s restart still is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'myob-'))
    const stateFile = join(folder, 'myob.json')
    const before = await openHarness({ stateFile })
    const grant = await connect(before)
    await before.close()
    const after = await newHarness({ stateFile })
    expect((await accounts.fetch(sessionOf(after, grant), null)).next).toBeNull()
    await rm(folder, { recursive: true })
  })
})

test('MYOB has no call that ends an authorization, so there is none to make', () => {
  expect(myobConnector.disconnect).toBeUndefined()
})

describe('secrets', () => {
  function leaksOf(shown: string, secret: unknown): string[] {
    const { accessToken, refreshToken } = { accessToken: 'none', refreshToken: 'none', ...Object(secret) }
    return [accessToken, refreshToken, SECRET].filter((each) => shown.includes(each))
  }

  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at)
      at.simulator.fault(fault)
      expect(leaksOf(inspect(await failureOf(refresh(at, credentials)), { depth: 10 }), credentials.secret)).toEqual([])
    },
  )

  test.each(['unauthorized', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'errorBody'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const failure = await failureOf(accounts.fetch(sessionOf(at, grant), null))
      expect(leaksOf(inspect(failure, { depth: 10 }), grant.credentials.secret)).toEqual([])
    },
  )
})

test('the consent page speaks French to a French browser', async () => {
  const at = await newHarness()
  const page = await request((await start(at)).url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*Wattle &amp; Rye[\s\S]*>Autoriser<\/button>/)
})
