import { beforeAll, expect, it } from 'vitest'
import { AuditPump } from '../../src/audit/sinks/pump.ts'
import { createWebhookSink } from '../../src/audit/sinks/webhook-sink.ts'
import type { Role } from '../../src/store/access/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const CALLBACK = 'http://127.0.0.1:9/audit'
const OTHERS: readonly Role[] = ['developer', 'integration', 'viewer']

const api = openForTests(openApiHarness)
let path: string
let eventId: string

beforeAll(async () => {
  const made = await api.call('POST', '/webhooks/subscriptions/AuditEntry', { body: { callbackUrl: CALLBACK } })
  path = `/webhooks/subscriptions/${String(made.json().id)}`
  await api.call('POST', '/normalized-data/company', { body: { name: 'Maple' } })
  const { database } = api.syncHarness.deps
  const log = { info: () => undefined, warn: (fields: Record<string, unknown>) => expect.fail(String(fields.err)) }
  const sink = createWebhookSink(database)
  await new AuditPump({ database, destination: 'webhooks', sink, log, now: () => new Date(), isStopping: () => false }).run()
  eventId = (await listEvents('admin')).at(-1)?.Identifier.split('.')[1] ?? ''
})

interface FeedEvent {
  MessageType: string
  Identifier: string
  Data: { Action: string }
}

async function listEvents(role: Role): Promise<FeedEvent[]> {
  const page = (await api.call('GET', '/webhooks/events?Limit=500', { role })).json() as unknown as { data: FeedEvent[] }
  return page.data
}

it('administrators read audit entries in the feed', async () => {
  const entries = (await listEvents('admin')).filter(({ MessageType }) => MessageType === 'AuditEntry')
  expect(entries.map(({ Data }) => Data.Action)).toEqual(['subscription.created', 'company.created'])
  expect((await api.call('GET', `/webhooks/events/${eventId}`)).json()).toMatchObject({
    Class: 'Audit',
    Data: { Action: 'company.created' },
  })
})

it.each(OTHERS)('for a %s there are no audit entries among events and deliveries', async (role) => {
  expect((await listEvents(role)).filter(({ MessageType }) => MessageType === 'AuditEntry')).toEqual([])
  const one = await api.call('GET', `/webhooks/events/${eventId}`, { role })
  const unknown = await api.call('GET', `/webhooks/events/${crypto.randomUUID()}`, { role })
  expect([one.statusCode, one.json().title]).toEqual([404, unknown.json().title])
  const deliveries = (as: Role) => api.call('GET', '/webhooks/deliveries?FilterQuery=kind=AuditEntry', { role: as })
  expect((await deliveries('admin')).json().data).toHaveLength(2)
  expect((await deliveries(role)).json().data).toEqual([])
})

it('a developer neither makes nor changes a subscription to audit entries', async () => {
  const role = 'developer'
  const other = await api.call('POST', '/webhooks/subscriptions/RawData', { body: { callbackUrl: CALLBACK }, role })
  const listed = (await api.call('GET', '/webhooks/deliveries?FilterQuery=kind=AuditEntry')).json() as unknown as { data: { id: string }[] }
  const [delivery] = listed.data
  const attempts: [string, string, object?][] = [
    ['POST', '/webhooks/subscriptions/AuditEntry', { callbackUrl: `${CALLBACK}/mine` }],
    ['PUT', `/webhooks/subscriptions/${String(other.json().id)}`, { event: 'AuditEntry' }],
    ['PUT', path, { callbackUrl: `${CALLBACK}/mine` }],
    ['PUT', path, { event: 'RawData', callbackUrl: `${CALLBACK}/mine` }],
    ['POST', `${path}/enable`, {}],
    ['POST', `${path}/test`],
    ['POST', `${path}/replay`, { undeliveredSince: '2020-01-01' }],
    ['POST', `${path}/secret/rotate`, {}],
    ['POST', `${path}/secret/promote`, {}],
    ['POST', `${path}/secret/retire`],
    ['POST', `${path}/secret/revoke`],
    ['DELETE', path],
    ['POST', `/webhooks/events/${eventId}/replay`],
    ['POST', `/webhooks/deliveries/${delivery?.id}/replay`],
  ]
  const codes: number[] = []
  for (const [method, url, body] of attempts) codes.push((await api.call(method, url, { role, ...(body ? { body } : {}) })).statusCode)
  expect(codes).toEqual([...attempts.slice(0, -2).map(() => 403), 404, 404])
  expect((await api.call('GET', path)).json()).toMatchObject({ event: 'AuditEntry', callbackUrl: CALLBACK })
})

it('an API key subscribes with webhooks:write and audit:read, and not with one of them', async () => {
  const codeWith = async (...scopes: string[]) => {
    const made = await api.call('POST', '/api-keys', { body: { name: 'Audit', scopes } })
    const headers = { authorization: `Bearer ${String(made.json().key)}` }
    const body = { callbackUrl: `${CALLBACK}/${scopes.length}` }
    return (await api.call('POST', '/webhooks/subscriptions/AuditEntry', { role: null, body, headers })).statusCode
  }
  expect([await codeWith('webhooks:write', 'audit:read'), await codeWith('webhooks:write'), await codeWith('audit:read')]).toEqual([
    ...[200, 403, 403],
  ])
})

it('no receiver of this deployment takes audit entries', async () => {
  expect((await api.call('POST', '/webhooks/receivers', { body: { event: 'AuditEntry' } })).json()).toMatchObject({
    errors: [{ field: 'event' }],
  })
  const receiver = (await api.call('POST', '/webhooks/receivers', { body: { event: 'RawData' } })).json()
  const answers = [
    await api.call('PUT', `/webhooks/subscriptions/${String(receiver.subscriptionId)}`, { body: { event: 'AuditEntry' } }),
    await api.call('POST', '/webhooks/subscriptions/AuditEntry', { body: { callbackUrl: String(receiver.address) } }),
  ]
  expect(answers.map((answer) => answer.json())).toMatchObject([
    { errors: [{ field: 'callbackUrl' }] },
    { errors: [{ field: 'callbackUrl' }] },
  ])
})
