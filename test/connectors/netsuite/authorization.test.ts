import { describe, expect, test } from 'vitest'
import { netsuite } from '../../../src/connectors/netsuite/index.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, refresh, startLink } from '../../harness/redirect.ts'
import { CASCADE, openHarness, RIDEAU, WITH_SECRET } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const HOUR_MS = 3_600_000

describe('connecting', () => {
  test('the owner signs in, selects account and role and returns with a grant for that account', async () => {
    expect(await connect(await newHarness())).toMatchObject({
      entity: { id: CASCADE, name: 'Cascade Outfitters, Inc.' },
      credentials: { expiresAt: '2026-07-01T12:58:00.000Z', secret: { accountId: CASCADE } },
    })
  })

  test('an account without subsidiaries is named by its id', async () => {
    expect((await connect(await newHarness(), { login: 'noor', role: '2468013/controller' })).entity).toEqual({
      id: RIDEAU,
      name: `NetSuite ${RIDEAU}`,
    })
  })

  test('a sandbox account keeps its own id', async () => {
    expect((await connect(await newHarness(), { login: 'noor', role: '7654321_SB1/controller' })).entity.id).toBe('7654321_SB1')
  })

  test('an unknown owner is sent to the sign-in for every account, a known one to that of the own account', async () => {
    const at = await newHarness()
    const kit = { ...at.kit, hosts: netsuite.hosts }
    const { credentials } = await connect(at, { login: 'noor', role: '7654321_SB1/controller' })
    const first = await startLink({ ...at, kit })
    const repair = await startLink({ ...at, kit }, { reconnect: credentials })
    expect([new URL(first.url).host, new URL(repair.url).host]).toEqual(['system.netsuite.com', '7654321-sb1.app.netsuite.com'])
  })

  test('the code is sent to the host of the returned account, and nowhere else', async () => {
    const at = await newHarness()
    const asked: string[] = []
    const kit = {
      ...at.kit,
      hosts: netsuite.hosts,
      http: async (call: { url: string }) => {
        asked.push(new URL(call.url).host)
        return { status: 400, headers: {}, body: Buffer.from('{"error":"invalid_grant"}') }
      },
    }
    const agreed = await consent(at)
    await failureOf(complete({ ...at, kit }, { ...agreed, query: { ...agreed.query, company: '7654321_SB1' } }))
    expect(asked).toEqual(['7654321-sb1.suitetalk.api.netsuite.com'])
  })
})

describe('refreshing', () => {
  test('a client with a secret keeps its refresh token for seven days', async () => {
    const at = await newHarness(WITH_SECRET)
    const { credentials } = await connect(at)
    const next = await refresh(at, credentials)
    expect(Object(next.secret).refreshToken).toBe(Object(credentials.secret).refreshToken)
    at.moveTime(7 * 24 * HOUR_MS + 1000)
    expect((await failureOf(refresh(at, next))).kind).toBe('reconnect')
  })

  test('a chain of rotated tokens ends at the limit of the integration record', async () => {
    const at = await newHarness({ publicClients: { refreshHours: 48, chainHours: 72 } })
    let { credentials } = await connect(at)
    for (let day = 0; day < 2; day++) {
      at.moveTime(30 * HOUR_MS)
      credentials = await refresh(at, credentials)
    }
    at.moveTime(30 * HOUR_MS)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })
})
