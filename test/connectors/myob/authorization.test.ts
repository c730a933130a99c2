import { describe, expect, test } from 'vitest'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh } from '../../harness/redirect.ts'
import { BAKERY, BUILDER, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const HOUR_MS = 3_600_000

describe('connecting', () => {
  test('an administrator signs in, selects a business and returns with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, { login: 'aroha', businessId: BUILDER })).toMatchObject({
      entity: { id: BUILDER, name: 'Kererū Contracting Ltd' },
      email: 'aroha@ngata-ca.example',
      credentials: { expiresAt: '2026-07-01T12:19:00.000Z' },
    })
  })

  test('state and business are returned unchanged', async () => {
    expect((await consent(await newHarness())).query).toMatchObject({ state: 'state-1', businessId: BAKERY })
  })

  test('an older key yields a grant for each company file, and a reconnect only the previous one', async () => {
    const at = await newHarness({ picksBusiness: false })
    const grants = await complete(at, await consent(at, { login: 'aroha' }))
    expect(grants.map(({ entity }) => entity.id)).toEqual([BUILDER, BAKERY])
    const again = await complete(at, await consent(at, { login: 'aroha' }), grants[1]?.credentials)
    expect(again.map(({ entity }) => entity.id)).toEqual([BAKERY])
  })
})

describe('refreshing', () => {
  test('a connection that was not refreshed for a week must be reconnected', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(6 * 24 * HOUR_MS)
    const second = await refresh(at, credentials)
    at.moveTime(8 * 24 * HOUR_MS)
    expect((await failureOf(refresh(at, second))).kind).toBe('reconnect')
  })
})
