import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { closedAfterEach, SECRET } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh, startLink, tokensOf } from '../../harness/redirect.ts'
import { MAKER, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)

describe('connecting', () => {
  test('the login returns one grant for each organization of the user', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at))
    expect(grants.map(({ entity }) => entity)).toEqual([
      { id: SHOP, name: 'Lantern & Loom Goods' },
      { id: MAKER, name: 'Atelier Luciole' },
    ])
    expect(grants[0]?.credentials.expiresAt).toBe('2026-07-01T12:58:00.000Z')
  })

  test('the callback names the user’s data centre, and the state is returned unchanged', async () => {
    const at = await newHarness()
    expect((await consent(at)).query).toMatchObject({ state: 'state-1', location: 'ca', 'accounts-server': at.url })
  })

  test('a refresh token is requested even if the user has agreed before', async () => {
    const { searchParams } = new URL((await startLink(await newHarness())).url)
    expect([searchParams.get('access_type'), searchParams.get('prompt')]).toEqual(['offline', 'consent'])
  })
})

describe('refreshing', () => {
  test('the refresh token does not rotate, so that a lost answer costs nothing', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, {}, SHOP)
    at.simulator.fault('lostRefresh')
    expect((await failureOf(refresh(at, credentials))).kind).toBe('unavailable')
    const next = await refresh(at, credentials)
    expect(Object(next.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
  })

  test('an eleventh access token within ten minutes has to wait', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, {}, SHOP)
    for (let times = 0; times < 9; times++) await refresh(at, credentials)
    expect(await failureOf(refresh(at, credentials))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 600_000 })
    at.moveTime(600_001)
    expect((await refresh(at, credentials)).expiresAt).not.toBeNull()
  })

  test('the twenty-first authorization of a user ends the first', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, {}, SHOP)
    for (let times = 0; times < 20; times++) await connect(at, {}, SHOP)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('credentials of another shape require a reconnect', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at, {}, SHOP)
    const secret = { ...Object(credentials.secret), accountsAt: 'toString' }
    expect((await failureOf(refresh(at, { ...credentials, secret }))).kind).toBe('reconnect')
  })
})

describe('disconnecting', () => {
  test('a disconnect ends this authorization and no other of the same user', async () => {
    const at = await newHarness()
    const [one, other] = [await connect(at, {}, SHOP), await connect(at, {}, MAKER)]
    await zohoConnector.disconnect?.(at.kit, one.credentials)
    expect((await failureOf(refresh(at, one.credentials))).kind).toBe('reconnect')
    expect((await refresh(at, other.credentials)).expiresAt).not.toBeNull()
  })
})

describe('secrets', () => {
  test('no error of a revocation reveals the token in its address', async () => {
    const at = await openHarness()
    const { credentials } = await connect(at, {}, SHOP)
    await at.close()
    const shown = inspect(await failureOf(zohoConnector.disconnect?.(at.kit, credentials) ?? Promise.resolve()), { depth: 10 })
    expect([...tokensOf(credentials), SECRET].filter((secret) => shown.includes(secret))).toEqual([])
  })
})
