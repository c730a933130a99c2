import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { appendWaitingEvents } from '../../src/store/webhooks/event-feeds.ts'
import { bearerOf, type TestApi, testApi } from '../harness/test-api.ts'
import { raiseEvent } from './harness.ts'

let api: TestApi
let headers: { authorization: string }
let path = ''
beforeEach(async () => {
  api = await testApi()
  headers = await bearerOf(api, (await api.addUser({ role: 'developer' })).email)
  const { body } = await post('/webhooks/subscriptions/NormalizedData', { callbackUrl: 'https://example.com/events' })
  path = `/webhooks/subscriptions/${body.id}`
})
afterEach(async () => await api.close())

async function post(url: string, payload: object = {}) {
  const answer = await api.app.inject({ method: 'POST', url: `/admin/api/v1${url}`, headers, payload })
  return { status: answer.statusCode, body: answer.json() }
}

/** Three events an hour apart, the newest an hour ago; the first was delivered and the second abandoned. */
async function threeEvents(): Promise<string[]> {
  const { database } = api.deps
  const ids: string[] = []
  for (const hours of [3, 2, 1]) {
    const id = await inTransaction(database, (db) => raiseEvent(db, api.instanceId, 'NormalizedData'))
    await database.query('update events set created_at = clock_timestamp() - make_interval(hours => $2) where id = $1', [id, hours])
    ids.push(id)
  }
  await inTransaction(database, (db) => appendWaitingEvents(db, api.instanceId))
  await database.query(`update deliveries set status = 'delivered' where event_id = $1`, [ids[0]])
  await database.query(`update deliveries set status = 'failed', step = 10 where event_id = $1`, [ids[1]])
  return ids
}

/** Events that only another instance has. */
async function eventsOfAnother(): Promise<string[]> {
  const instanceId = await api.addInstance()
  return [await inTransaction(api.deps.database, (db) => raiseEvent(db, instanceId, 'NormalizedData'))]
}

async function replaysAudited(): Promise<number> {
  return (await api.deps.database.query(`select from audit_entries where entry like '%events.replayed%'`)).rowCount ?? 0
}

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString()

async function statuses(ids: string[]): Promise<string[]> {
  const { rows } = await api.deps.database.query<{ id: string; status: string }>('select event_id as id, status from deliveries')
  return ids.map((id) => rows.find((row) => row.id === id)?.status ?? '')
}

describe('a replay by API', () => {
  test('of one event makes its delivery due again', async () => {
    const ids = await threeEvents()
    expect(await post(`${path}/replay`, { eventId: ids[0] })).toEqual({ status: 202, body: { deliveries: 1 } })
    expect(await statuses(ids)).toEqual(['pending', 'failed', 'pending'])
    const { rows } = await api.deps.database.query<{ entry: string }>(
      `select entry from audit_entries where entry like '%events.replayed%'`,
    )
    expect(rows.map(({ entry }) => JSON.parse(entry).details)).toEqual([{ events: 'one', deliveries: 1 }])
  })

  test('of a range includes what is in it, delivered or not', async () => {
    const ids = await threeEvents()
    expect(await post(`${path}/replay`, { from: hoursAgo(3.5), to: hoursAgo(1.5) })).toEqual({ status: 202, body: { deliveries: 2 } })
    expect(await statuses(ids)).toEqual(['pending', 'pending', 'pending'])
  })

  test('of everything undelivered since a time skips what was delivered', async () => {
    const ids = await threeEvents()
    expect(await post(`${path}/replay`, { undeliveredSince: hoursAgo(4) })).toEqual({ status: 202, body: { deliveries: 2 } })
    expect(await statuses(ids)).toEqual(['delivered', 'pending', 'pending'])
  })

  test.each([
    ['eventId', 1],
    ['undeliveredSince', 2],
    ['from', 2],
  ])('by %s is counted first, which changes nothing', async (name, count) => {
    const ids = await threeEvents()
    const queries: Record<string, string> = {
      eventId: `eventId=${ids[0]}`,
      undeliveredSince: `undeliveredSince=${hoursAgo(4)}`,
      from: `from=${hoursAgo(3.5)}&to=${hoursAgo(1.5)}`,
    }
    const answer = await api.app.inject({ url: `/admin/api/v1${path}/replay?${queries[name]}`, headers })
    expect([answer.statusCode, answer.json()]).toEqual([200, { deliveries: count }])
    expect(await statuses(ids)).toEqual(['delivered', 'failed', 'pending'])
  })

  test.each(['of an event that is not there', 'of an event of another instance'])('%s is a 404, and not audited', async (which) => {
    const [known] = which.includes('another') ? await eventsOfAnother() : []
    const eventId = known ?? randomUUID()
    expect(await post(`${path}/replay`, { eventId })).toMatchObject({ status: 404, body: { detail: 'No such event.' } })
    expect((await post(`/webhooks/events/${eventId}/replay`)).status).toBe(404)
    const counted = await api.app.inject({ url: `/admin/api/v1${path}/replay?eventId=${eventId}`, headers })
    expect([counted.statusCode, await replaysAudited()]).toEqual([404, 0])
  })

  test('of an event that the subscription does not get, or none gets, is refused and says so', async () => {
    const { database } = api.deps
    const raw = await inTransaction(database, (db) => raiseEvent(db, api.instanceId, 'RawData'))
    expect(await post(`${path}/replay`, { eventId: raw })).toMatchObject({
      status: 409,
      body: { detail: 'The subscription does not get this event: it is of another kind, or was a test.' },
    })
    expect(await post(`/webhooks/events/${raw}/replay`)).toMatchObject({
      status: 409,
      body: { detail: 'No active subscription gets this event.' },
    })
    expect(await replaysAudited()).toBe(0)
  })

  test('of a delivery of a disabled subscription is refused, and changes nothing', async () => {
    const ids = await threeEvents()
    const { database } = api.deps
    const { rows } = await database.query<{ id: string }>('select id from deliveries where event_id = $1', [ids[0]])
    await database.query(`update subscriptions set status = 'disabled', disabled_position = 1`)
    expect((await post(`/webhooks/deliveries/${rows[0]?.id}/replay`)).status).toBe(409)
    expect(await statuses(ids)).toEqual(['delivered', 'failed', 'pending'])
  })

  test.each([{}, { from: '2026-01-01' }, { eventId: randomUUID(), undeliveredSince: '2026-01-01' }, { undeliveredSince: 'yesterday' }])(
    'with %j is refused and changes nothing',
    async (body) => {
      const ids = await threeEvents()
      expect((await post(`${path}/replay`, body)).status).toBe(400)
      expect(await statuses(ids)).toEqual(['delivered', 'failed', 'pending'])
    },
  )
})

test('secrets are rotated, promoted and retired by API, and only their states are ever returned again', async () => {
  const list = async () => (await api.app.inject({ url: `/admin/api/v1${path}/secrets`, headers })).json()
  const { secret } = (await post(`${path}/secret/rotate`)).body
  expect(await list()).toMatchObject([{ signs: 'bodyAndHeaders' }, { signs: 'headers', endsOn: null }])
  await post(`${path}/secret/promote`)
  expect(await post(`${path}/secret/retire`)).toEqual({ status: 200, body: { retired: 1 } })
  expect(await list()).toMatchObject([{ signs: 'bodyAndHeaders', endsOn: null }])
  expect(JSON.stringify(await list())).not.toContain(secret)
})
