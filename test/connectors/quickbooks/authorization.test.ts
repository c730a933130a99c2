import { describe, expect, test } from 'vitest'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { connect, refresh } from '../../harness/redirect.ts'
import { BUILDER, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const HOUR_MS = 3_600_000

describe('connecting', () => {
  test('the owner signs in, selects a company and returns with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, { realmId: BUILDER })).toMatchObject({
      entity: { id: BUILDER, name: 'Buckeye Contracting' },
      credentials: { expiresAt: '2026-07-01T12:58:00.000Z' },
    })
  })
})

describe('refreshing', () => {
  test('the refresh token changes after a day, the new one is stored and the old one is refused', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const sameDay = await refresh(at, credentials)
    at.moveTime(25 * HOUR_MS)
    const nextDay = await refresh(at, sameDay)
    await refresh(at, nextDay)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })
})
