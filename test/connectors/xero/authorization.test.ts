import { describe, expect, test } from 'vitest'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect, refresh, startLink } from '../../harness/redirect.ts'
import { openHarness, PHYSIO } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describe('connecting', () => {
  test('the owner signs in, selects an organisation and returns with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, { businessId: PHYSIO })).toMatchObject({
      entity: { id: PHYSIO, name: 'Physio Saint-Boniface' },
      credentials: { expiresAt: '2026-07-01T12:28:00.000Z' },
    })
  })

  test('organisations connected earlier are not granted again, and a practice is not an organisation', async () => {
    const at = await newHarness()
    await connect(at)
    expect((await connect(at, { businessId: PHYSIO })).entity.id).toBe(PHYSIO)
  })

  test.each([
    ['yes', true],
    ['no', false],
  ] as const)('an app with journals "%s" requests their scope: %s', async (journals, asks) => {
    const { url } = await startLink(await newHarness({ app: { journals } }))
    expect(new URL(url).searchParams.get('scope')?.includes('accounting.journals.read')).toBe(asks)
  })
})

describe('refreshing', () => {
  test('each refresh token is used once: the new one is stored and the old one ends after its grace period', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const next = await refresh(at, credentials)
    expect(next.secret).not.toEqual(credentials.secret)
    at.moveTime(31 * MINUTE_MS)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
    expect((await refresh(at, next)).expiresAt).not.toBeNull()
  })

  test('a refresh token that was not used for 60 days requires a reconnect', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(60 * DAY_MS + 1)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })
})

describe('disconnecting', () => {
  test('a disconnect removes this organisation from the app and keeps the user’s others', async () => {
    const at = await newHarness()
    const dentist = await connect(at)
    const physio = await connect(at, { businessId: PHYSIO })
    await xeroConnector.disconnect?.(at.kit, dentist.credentials)
    expect((await failureOf(pullNamed(xeroConnector, 'accounts').fetch(sessionOf(at, dentist), null))).message).toContain('403')
    expect((await pullNamed(xeroConnector, 'accounts').fetch(sessionOf(at, physio), null)).next).toBeNull()
  })

  test('with the last organisation the user’s tokens end too', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    await xeroConnector.disconnect?.(at.kit, credentials)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('an expired access token is refreshed for the revocation', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(31 * MINUTE_MS)
    await xeroConnector.disconnect?.(at.kit, credentials)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })
})
