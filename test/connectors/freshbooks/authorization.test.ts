import { describe, expect, test } from 'vitest'
import { freshbooksConnector } from '../../../src/connectors/freshbooks/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh } from '../../harness/redirect.ts'
import { BUILDER, openHarness, STUDIO } from './harness.ts'

const newHarness = closedAfterEach(openHarness)

describe('connecting', () => {
  test('the owner signs in and returns with a grant for the business', async () => {
    expect(await connect(await newHarness())).toMatchObject({
      entity: { id: BUILDER, name: 'Cuyahoga Carpentry & Remodeling' },
      email: 'grace@cuyahoga-carpentry.example',
      credentials: { expiresAt: '2026-07-01T23:58:00.000Z' },
    })
  })

  test('a login with several businesses returns one grant for each, to choose from', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, { login: 'nora' }))
    expect(grants.map(({ entity }) => entity)).toEqual([
      { id: BUILDER, name: 'Cuyahoga Carpentry & Remodeling' },
      { id: STUDIO, name: 'Studio Riverfront' },
    ])
  })

  test('each of those grants reads its own business', async () => {
    const at = await newHarness()
    const grants = await complete(at, await consent(at, { login: 'nora' }))
    const counts: number[] = []
    for (const grant of grants) {
      const page = await pullNamed(freshbooksConnector).fetch(sessionOf(at, grant), null)
      counts.push([...pullNamed(freshbooksConnector).read(page.answers)].length)
    }
    expect(counts).toEqual([85, 42])
  })

  test('an unreadable identity is bad data', async () => {
    const at = await newHarness()
    const back = await consent(at)
    const http: typeof at.kit.http = async (call) =>
      call.url.endsWith('/users/me')
        ? { status: 200, headers: {}, body: Buffer.from('{"response":{"business_memberships":7}}') }
        : at.kit.http(call)
    expect((await failureOf(complete({ ...at, kit: { ...at.kit, http } }, back))).kind).toBe('badData')
  })
})

describe('refreshing', () => {
  test('the lifetime counts from created_at, which an answer may repeat from before', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const body = { access_token: 'a', refresh_token: 'r', expires_in: 43_200, created_at: Date.UTC(2026, 6, 1, 10) / 1000 }
    const kit = { ...at.kit, http: async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) }) }
    expect((await refresh({ ...at, kit }, credentials)).expiresAt).toBe('2026-07-01T21:58:00.000Z')
  })

  test('a second authorization of the same user ends the refresh token of the first', async () => {
    const at = await newHarness()
    const first = await connect(at)
    await connect(at)
    expect((await failureOf(refresh(at, first.credentials))).kind).toBe('reconnect')
  })
})
