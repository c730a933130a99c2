import { afterEach, describe, expect, test } from 'vitest'
import { netsuiteConnector } from '../../../src/connectors/netsuite/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { CASCADE, connect, type Harness, openHarness, pullNamed, refresh, runPull } from './harness.ts'

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

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(HOUR_MS + 1000)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await runPull(sessionOf(at, { ...grant, credentials }), pullNamed('accounts'))).pages).toHaveLength(1)
  })

  test('a public client gets a new refresh token each time, and the one before is dead', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const next = await refresh(at, credentials)
    await refresh(at, next)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a client with a secret keeps its refresh token for seven days', async () => {
    const at = await newHarness({ hasSecret: true })
    const { credentials } = await connect(at)
    const next = await refresh(at, credentials)
    expect(Object(next.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
    at.moveTime(7 * 24 * HOUR_MS + 1000)
    expect((await failureOf(refresh(at, next))).kind).toBe('reconnect')
  })

  test('a chain of rotated tokens ends when the integration record says so', async () => {
    const at = await newHarness({ publicClients: { refreshHours: 48, chainHours: 72 } })
    let { credentials } = await connect(at)
    for (let day = 0; day < 2; day++) {
      at.moveTime(30 * HOUR_MS)
      credentials = await refresh(at, credentials)
    }
    at.moveTime(30 * HOUR_MS)
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

  test('after a rotated token was lost on the way only a reconnect helps', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.simulator.fault('lostRefresh')
    await failureOf(refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness({ hasSecret: true })
    const { credentials } = await connect(at)
    const kit = { ...at.kit, app: { clientId: 'confidential', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })
})

describe('leaving', () => {
  test('a disconnect ends the authorization at the source', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    await netsuiteConnector.disconnect?.(at.kit, grant.credentials)
    expect((await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
  })

  test('a disconnect of what has already ended is no failure', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.simulator.revoke(CASCADE)
    expect(await netsuiteConnector.disconnect?.(at.kit, grant.credentials)).toBeUndefined()
  })
})
