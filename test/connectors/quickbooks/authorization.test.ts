import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { quickbooksConnector } from '../../../src/connectors/quickbooks/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import {
  BAKERY,
  BUILDER,
  CALLBACK,
  connect,
  consent,
  type Harness,
  openHarness,
  pullNamed,
  redirectStep,
  refresh,
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

function complete(at: Harness, query: Record<string, string>) {
  return redirectStep().complete(at.kit, { callbackUrl: CALLBACK, query, memo: null })
}

describe('connecting', () => {
  test('the owner signs in, picks a company and comes back with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, BUILDER)).toMatchObject({
      entity: { id: BUILDER, name: 'Buckeye Contracting' },
      credentials: { expiresAt: '2026-07-01T12:58:00.000Z' },
    })
  })

  test('the state comes back as it was given', async () => {
    expect(await consent(await newHarness(), BAKERY)).toMatchObject({ state: 'state-1', realmId: BAKERY })
  })

  test('an owner who cancels gives no grant', async () => {
    const at = await newHarness()
    const query = await consent(at, BAKERY, 'cancel')
    expect(query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, query))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const query = await consent(at, BAKERY)
    await complete(at, query)
    expect(await failureOf(complete(at, query))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a company that was written into the callback by hand is not believed', async () => {
    const at = await newHarness()
    const query = await consent(at, BAKERY)
    expect((await failureOf(complete(at, { ...query, realmId: BUILDER }))).kind).toBe('reconnect')
  })

  test.each([{ realmId: '../../x' }, { realmId: '' }, { code: '' }])('a callback with %j is refused without a call', async (wrong) => {
    const at = await newHarness()
    const query = await consent(at, BAKERY)
    const calls = at.simulator.listRequests().length
    expect((await failureOf(complete(at, { ...query, ...wrong }))).kind).toBe('badData')
    expect(at.simulator.listRequests()).toHaveLength(calls)
  })

  test('the company that was really connected is the one that is named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await connect(at, BAKERY)).entity.id).not.toBe(BAKERY)
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at, BAKERY)
    at.moveTime(HOUR_MS + 1000)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    const page = await pullNamed('accounts').fetch(sessionOf(at, { ...grant, credentials }), null)
    expect(page.next).toBeNull()
  })

  test('the refresh token changes after a day, the new one is kept and the old one is dead', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, BAKERY)
    const sameDay = await refresh(at, credentials)
    at.moveTime(25 * HOUR_MS)
    const nextDay = await refresh(at, sameDay)
    await refresh(at, nextDay)
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
    const { credentials } = await connect(at, BAKERY)
    at.simulator.fault(fault)
    expect((await failureOf(refresh(at, credentials))).kind).toBe(kind)
  })

  test('after a rotated token was lost on the way only a reconnect helps', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, BAKERY)
    at.simulator.fault('lostRefresh')
    await failureOf(refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, BAKERY)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })
})

describe('leaving', () => {
  test('a disconnect ends the authorization at the source', async () => {
    const at = await newHarness()
    const grant = await connect(at, BAKERY)
    await quickbooksConnector.disconnect?.(at.kit, grant.credentials)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
  })

  test('a disconnect of what the owner has already ended is no failure', async () => {
    const at = await newHarness()
    const grant = await connect(at, BAKERY)
    at.simulator.revoke(BAKERY)
    expect(await quickbooksConnector.disconnect?.(at.kit, grant.credentials)).toBeUndefined()
  })
})

describe('secrets', () => {
  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at, BAKERY)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(refresh(at, credentials)), { depth: 10 })
      const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
      const leaked = [accessToken, refreshToken, SECRET, Buffer.from(`app:${SECRET}`).toString('base64')].filter((secret) =>
        shown.includes(secret),
      )
      expect(leaked).toEqual([])
    },
  )

  test.each(['unauthorized', 'throttle', 'unavailable', 'html', 'truncated', 'empty'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at, BAKERY)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null)), { depth: 10 })
      const { accessToken } = { accessToken: 'none', ...Object(grant.credentials.secret) }
      expect(shown.includes(accessToken)).toBe(false)
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
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Connecter<\/button>/)
})
