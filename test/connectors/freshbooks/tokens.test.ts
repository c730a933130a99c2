import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { Credentials } from '../../../src/connectors/contract/contract.ts'
import { freshbooksConnector } from '../../../src/connectors/freshbooks/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { accountsPull, BUILDER, connect, type Harness, openHarness, refresh, SECRET } from './harness.ts'

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

function tokensOf(credentials: Credentials): string[] {
  const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
  return [accessToken, refreshToken]
}

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(12 * HOUR_MS + 1000)
    expect((await failureOf(accountsPull().fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await accountsPull().fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('each refresh gives a new pair and ends the old one, the access token too', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    const credentials = await refresh(at, grant.credentials)
    expect(tokensOf(credentials).filter((token) => tokensOf(grant.credentials).includes(token))).toEqual([])
    expect((await failureOf(accountsPull().fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('reconnect')
  })

  test('the lifetime counts from created_at, which an answer may repeat from before', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const body = { access_token: 'a', refresh_token: 'r', expires_in: 43_200, created_at: Date.UTC(2026, 6, 1, 10) / 1000 }
    const kit = { ...at.kit, http: async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) }) }
    expect((await refresh({ ...at, kit }, credentials)).expiresAt).toBe('2026-07-01T21:58:00.000Z')
  })

  test('a refreshed connection still knows its business', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    expect(await refresh(at, credentials)).toMatchObject({ secret: { businessUuid: BUILDER } })
  })

  test('a second authorization of the same person ends the refresh token of the first', async () => {
    const at = await newHarness()
    const first = await connect(at)
    await connect(at)
    expect((await failureOf(refresh(at, first.credentials))).kind).toBe('reconnect')
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
  test('a disconnect ends the authorization at the source', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    await freshbooksConnector.disconnect?.(at.kit, grant.credentials)
    expect((await failureOf(accountsPull().fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
  })

  test('a disconnect of what the owner has already ended is no failure', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.simulator.revoke('grace')
    expect(await freshbooksConnector.disconnect?.(at.kit, grant.credentials)).toBeUndefined()
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

  test.each(['unauthorized', 'forbidden', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'errorBody'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(accountsPull().fetch(sessionOf(at, grant), null)), { depth: 10 })
      expect(tokensOf(grant.credentials).filter((secret) => shown.includes(secret))).toEqual([])
    },
  )
})
