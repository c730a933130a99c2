import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { Credentials } from '../../../src/connectors/contract/contract.ts'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { BAKERY, connect, type Harness, openHarness, pullNamed, refresh, SECRET } from './harness.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
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

function tokensOf(credentials: Credentials): string[] {
  const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
  return [accessToken, refreshToken]
}

describe('refreshing', () => {
  test('an access token ends after five minutes, is replaced, and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(5 * MINUTE_MS + 1000)
    expect((await failureOf(accounts.fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await accounts.fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('a token that ends between two pages is replaced and the listing goes on where it was', async () => {
    const at = await newHarness({ giantAccounts: 450 })
    const grant = await connect(at, 'load')
    const first = await accounts.fetch(sessionOf(at, grant), null)
    at.moveTime(6 * MINUTE_MS)
    expect((await failureOf(accounts.fetch(sessionOf(at, grant), first.next))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    const second = await accounts.fetch(sessionOf(at, { ...grant, credentials }), first.next)
    expect([...accounts.read(second.answers)]).toHaveLength(200)
  })

  test('each refresh token works once and the new one is kept', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    await refresh(at, await refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refresh token that was not used for 31 days is dead', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(31 * DAY_MS + 1000)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refreshed connection still knows its business', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    expect(await refresh(at, credentials)).toMatchObject({ secret: { businessId: BAKERY } })
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
})

describe('leaving', () => {
  test('a disconnect ends the refresh token at once, the access token with its five minutes', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    await sageConnector.disconnect?.(at.kit, grant.credentials)
    expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('reconnect')
    at.moveTime(5 * MINUTE_MS + 1000)
    expect((await failureOf(accounts.fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
  })

  test('a disconnect of what the owner has already ended is no failure', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.simulator.revoke('lucie')
    expect(await sageConnector.disconnect?.(at.kit, grant.credentials)).toBeUndefined()
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
      expect([...tokensOf(credentials), SECRET].filter((secret) => shown.includes(secret))).toEqual([])
    },
  )

  test.each(['unauthorized', 'noSubscription', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'errorBody'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(accounts.fetch(sessionOf(at, grant), null)), { depth: 10 })
      expect(tokensOf(grant.credentials).filter((secret) => shown.includes(secret))).toEqual([])
    },
  )
})
