import { describe, expect, test } from 'vitest'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh } from '../../harness/redirect.ts'
import { DESIGNER, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const HOUR_MS = 3_600_000

describe('connecting', () => {
  test('the owner signs in, allows the access and returns with a grant for the company', async () => {
    const at = await newHarness()
    expect(await connect(at)).toMatchObject({
      entity: { id: DESIGNER, name: 'Harbour Lane Design Ltd' },
      email: 'fiona@harbourlane.example',
      credentials: { expiresAt: '2026-07-01T12:58:00.000Z' },
    })
  })

  test('a user who may not see the accounts is told which access level is required', async () => {
    const at = await newHarness()
    const query = await consent(at)
    at.simulator.fault('lowLevel')
    expect(await complete(at, query).catch((error: unknown) => error)).toMatchObject({
      name: 'InputRefused',
      text: { en: expect.stringContaining('Tax, Accounting & Users') },
    })
  })
})

describe('refreshing', () => {
  test('a refresh token is valid for years', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(5 * 365 * 24 * HOUR_MS)
    expect((await refresh(at, credentials)).expiresAt).toMatch(/^2031-/)
  })

  test('the sixteenth refresh within a minute waits for the next minute', async () => {
    const at = await newHarness()
    let { credentials } = await connect(at)
    for (let count = 1; count <= 15; count++) credentials = await refresh(at, credentials)
    expect(await failureOf(refresh(at, credentials))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 60_000 })
  })
})
