import { describe, expect, test } from 'vitest'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh } from '../../harness/redirect.ts'
import { DENTAL, ERABLE, NORDLYS, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const HOUR_MS = 3_600_000

describe('connecting', () => {
  test('the owner signs in and returns with a grant for the company in the production environment', async () => {
    const at = await newHarness()
    expect(await complete(at, await consent(at))).toMatchObject([
      {
        entity: { id: DENTAL, name: 'Bow River Dental Professional Corporation' },
        credentials: { expiresAt: '2026-07-01T13:13:00.000Z', secret: { environment: 'Production' } },
      },
    ])
  })

  test('a user with several companies gets a grant for each, in any environment', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, { login: 'luc' }))
    expect(grants.map(({ entity }) => [entity.id, entity.name])).toEqual([
      [ERABLE, 'Érable en ligne'],
      [NORDLYS, 'Nordlys Lamper ApS'],
    ])
  })

  test('an environment that the user cannot open is omitted', async () => {
    const at = await newHarness()
    expect((await complete(at, await consent(at, { login: 'anna' }))).map(({ entity }) => entity.id)).toEqual([ERABLE])
  })

  test('a sandbox environment is used if there is no other', async () => {
    const at = await newHarness()
    expect((await connect(at, { login: 'freja' })).credentials.secret).toMatchObject({ environment: 'Trial', companyId: NORDLYS })
  })

  test('a reconnect by a user without that company names the companies available', async () => {
    const at = await newHarness()
    const before = await connect(at, { login: 'erin' })
    at.simulator.fault('wrongEntity')
    expect((await complete(at, await consent(at, { login: 'erin' }), before.credentials)).map(({ entity }) => entity.id)).toEqual([
      ERABLE,
      NORDLYS,
    ])
  })
})

describe('refreshing', () => {
  test('two connections of one login refresh without affecting each other', async () => {
    const at = await newHarness()
    const [one, other] = await complete(at, await consent(at, { login: 'luc' }))
    const first = await refresh(at, one?.credentials ?? { secret: null, expiresAt: null })
    await refresh(at, other?.credentials ?? { secret: null, expiresAt: null })
    expect(await refresh(at, first)).toMatchObject({ secret: { companyId: ERABLE } })
  })

  test('a refresh token that was not used for 90 days requires a reconnect', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(91 * 24 * HOUR_MS)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })
})
