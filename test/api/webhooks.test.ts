import { describe, expect, it } from 'vitest'
import { placeEvents } from '../harness/app/place-events.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)

describe('webhooks', () => {
  it('are created with a secret that is shown once, updated, rotated and deleted', async () => {
    const callbackUrl = 'http://127.0.0.1:9/events'
    const subscribed = (await api.call('POST', '/webhooks/subscriptions/NormalizedData', { body: { callbackUrl } })).json() as unknown as {
      id: string
      secret: string
    }
    expect(Object.keys(subscribed).sort()).toEqual(['callbackUrl', 'event', 'id', 'secret'])
    expect(subscribed.secret).toMatch(/^whsec_/)
    expect((await api.call('POST', '/webhooks/subscriptions/NormalizedData', { body: { callbackUrl } })).statusCode).toBe(409)
    expect((await api.call('POST', '/webhooks/subscriptions/normalizeddata', { body: { callbackUrl } })).statusCode).toBe(400)
    expect((await api.call('POST', '/webhooks/subscriptions/RawData', { body: { callbackUrl: 'ftp://x' } })).json()).toMatchObject({
      errors: [{ field: 'callbackUrl' }],
    })
    const path = `/webhooks/subscriptions/${subscribed.id}`
    expect((await api.call('GET', path)).payload).not.toContain(subscribed.secret)
    expect((await api.call('GET', '/webhooks/subscriptions')).json()).toHaveLength(1)
    expect((await api.call('PUT', path, { body: { event: 'ReadyToUseData' } })).json()).toMatchObject({
      event: 'ReadyToUseData',
      callbackUrl,
    })
    expect((await api.call('POST', `${path}/secret/rotate`, { body: {} })).json()).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
    })
    expect((await api.call('POST', `${path}/secret/rotate`, { body: {} })).statusCode).toBe(409)
    expect((await api.call('POST', `${path}/secret/promote`, { body: { graceHours: 1 } })).statusCode).toBe(200)
    expect((await api.call('POST', `${path}/secret/retire`)).json()).toEqual({ retired: 1 })
    expect((await api.call('GET', `${path}/secrets`)).json()).toMatchObject([{ signs: 'bodyAndHeaders' }])
    expect((await api.call('POST', `${path}/secret/revoke`)).statusCode).toBe(200)
    expect((await api.call('POST', `${path}/test`)).statusCode).toBe(202)
    expect((await api.call('POST', `${path}/enable`, { body: {} })).json()).toMatchObject({ recovered: 0 })
    expect((await api.call('GET', `${path}/replay?undeliveredSince=2020-01-01`)).statusCode).toBe(200)
    expect((await api.call('POST', `${path}/replay`, { body: { undeliveredSince: '2020-01-01' } })).statusCode).toBe(202)
    await placeEvents(api.syncHarness.deps.database, api.syncHarness.instanceId)
    const deliveries = (await api.call('GET', '/webhooks/deliveries?OrderBy=createdOn')).json() as unknown as { data: { id: string }[] }
    expect(deliveries.data.length).toBeGreaterThan(0)
    expect((await api.call('POST', `/webhooks/deliveries/${deliveries.data[0]?.id}/replay`)).statusCode).toBe(202)
    expect((await api.call('DELETE', path)).statusCode).toBe(204)
  })

  it('have a feed that continues from its cursor', async () => {
    const first = (await api.call('GET', '/webhooks/events?limit=2')).json() as unknown as {
      data: { Identifier: string }[]
      cursor: string
      hasMore: boolean
    }
    expect(first).toMatchObject({ hasMore: true })
    const rest = (await api.call('GET', `/webhooks/events?Cursor=${first.cursor}`)).json() as unknown as { data: { Identifier: string }[] }
    const ids = [...first.data, ...rest.data].map((event) => event.Identifier)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.map((id) => id.split('.')[0])).toContain('NormalizedData')
    expect((await api.call('GET', '/webhooks/events?Cursor=nonsense')).statusCode).toBe(400)
    const [kind, eventId] = first.data[0]?.Identifier.split('.') ?? []
    expect((await api.call('GET', `/webhooks/events/${eventId}`)).json()).toEqual(first.data[0])
    await api.call('POST', `/webhooks/subscriptions/${kind}`, { body: { callbackUrl: 'https://lender.example/again' } })
    expect((await api.call('POST', `/webhooks/events/${eventId}/replay`)).statusCode).toBe(202)
  })
})

describe('a receiver of this deployment', () => {
  it('is opened, read, changed, emptied and closed', async () => {
    const opened = await api.call('POST', '/webhooks/receivers', { body: { event: 'NormalizedData' } })
    const { id, address } = opened.json() as unknown as { id: string; address: string }
    const at = `/webhooks/receivers/${id}`
    expect((await api.call('GET', '/webhooks/receivers')).json()).toMatchObject([{ id, behaviour: 'accept' }])
    expect((await api.call('PUT', at, { body: { behaviour: 'fail' } })).json()).toMatchObject({ behaviour: 'fail' })
    expect((await api.call('GET', at)).json()).toMatchObject({ id, behaviour: 'fail' })
    const knock = await api.app.inject({ method: 'POST', url: new URL(address).pathname, payload: { hello: 'there' } })
    expect(knock.statusCode).toBe(500)
    const [request] = (await api.call('GET', `${at}/requests`)).json() as unknown as { id: string }[]
    expect((await api.call('GET', `${at}/requests/${request?.id}`)).json()).toMatchObject({ answered: 500, body: '{"hello":"there"}' })
    expect((await api.call('DELETE', `${at}/requests`)).statusCode).toBe(204)
    expect((await api.call('DELETE', at)).statusCode).toBe(204)
  })
})

it('every webhook operation has succeeded, checked against the document', () => {
  expect(api.listUnseen((path) => path.startsWith('/webhooks'))).toEqual([])
})
