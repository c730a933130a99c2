import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEgress, type Egress } from '../../src/egress/egress.ts'
import { deleteCompany } from '../../src/store/connections/companies.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { saveRequest } from '../../src/store/webhooks/receiver-requests.ts'
import { findSubscription, insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { pruneEvents } from '../../src/webhooks/retention.ts'
import { addSecret } from '../../src/webhooks/secrets.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { bearerOf, type TestApi, testApi } from '../harness/test-api.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { raiseEvent } from './harness.ts'

const BASE = '/admin/api/v1/webhooks/receivers'
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }
const CHECKED = { timestamp: true, headers: true, body: true }

interface Opened {
  id: string
  subscriptionId: string
  address: string
  secret: string
}

interface Kept {
  id: string
  answered: number
  headers: Record<string, string>
  checks: Record<string, boolean>
  isRepeat: boolean
}

describe('a receiver of this deployment', () => {
  let api: TestApi
  let egress: Egress
  let dispatcher: Dispatcher
  let developer: { authorization: string }
  let publicUrl: string
  let aheadMs = 0

  beforeAll(async () => {
    const port = await findFreePort()
    publicUrl = `http://127.0.0.1:${port}`
    api = await testApi({ publicUrl })
    await api.app.listen({ port, host: '127.0.0.1' })
    developer = await bearerOf(api, (await api.addUser({ role: 'developer' })).email)
    // As in production: customers' addresses may not be private.
    egress = createEgress({ allowPrivate: false })
    const { database, sealer, sync } = api.deps
    const own = { publicUrl, hashToken: sync.hashToken }
    dispatcher = new Dispatcher({ database, egress, sealer, log: SILENT, own, clock: { aheadMs: () => aheadMs } })
  })
  afterAll(async () => {
    await dispatcher.stop()
    await egress.close()
    await api.close()
  })

  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
    api.app.inject({ method, url: `${BASE}${path}`, headers: developer, ...(body ? { payload: body } : {}) })
  const open = async (): Promise<Opened> => (await call('POST', '', { event: 'NormalizedData' })).json()
  const requestsOf = async ({ id }: Opened): Promise<Kept[]> => (await call('GET', `/${id}/requests`)).json()
  const raise = () => inTransaction(api.deps.database, (db) => raiseEvent(db, api.instanceId, 'NormalizedData'))
  const close = ({ id }: Opened) => call('DELETE', `/${id}`)
  const send = (address: string, body = '{}', headers: Record<string, string> = {}) => fetch(address, { method: 'POST', body, headers })
  const attemptsOf = async (subscriptionId: string) =>
    (
      await api.deps.database.query<{ status: string; error: string | null; http_status: number | null }>(
        `select d.status, a.error, a.http_status from deliveries d
         join delivery_attempts a on a.instance_id = d.instance_id and a.delivery_id = d.id
         where d.subscription_id = $1 order by a.started_at`,
        [subscriptionId],
      )
    ).rows

  it('gets each event once, over the network, with valid signatures', async () => {
    const receiver = await open()
    const ids = [await raise(), await raise()]
    while ((await dispatcher.runOnce()) > 0);
    const requests = await requestsOf(receiver)
    const first = requests.at(0)
    const whole = (await call('GET', `/${receiver.id}/requests/${first?.id}`)).json<{ body: string }>()
    await close(receiver)
    expect(requests.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.map((id) => `evt_${id}`).toSorted())
    expect(requests.map(({ checks, answered, isRepeat }) => ({ checks, answered, isRepeat }))).toEqual(
      ids.map(() => ({ checks: CHECKED, answered: 204, isRepeat: false })),
    )
    expect(JSON.parse(whole.body)).toMatchObject({ MessageType: 'NormalizedData' })
  })

  it('allows its own address only: no other path, token, subscription or instance', async () => {
    const receiver = await open()
    const stranger = await api.addInstance()
    const targets = [
      [api.instanceId, `${publicUrl}/receiver/${randomBytes(32).toString('base64url')}`],
      [api.instanceId, `${publicUrl}/healthz`],
      [api.instanceId, `${receiver.address}?x=1`],
      [api.instanceId, `${publicUrl}/receiver/../healthz`],
      [stranger, receiver.address],
    ] as const
    const ids: string[] = []
    for (const [instanceId, callbackUrl] of targets) {
      const id = randomUUID()
      ids.push(id)
      await insertSubscription(api.deps.database, instanceId, id, { event: 'NormalizedData', callbackUrl })
      await addSecret(api.deps.sealer, api.deps.database, instanceId, id, 0)
    }
    await raise()
    await inTransaction(api.deps.database, (db) => raiseEvent(db, stranger, 'NormalizedData'))
    while ((await dispatcher.runOnce()) > 0);
    const attempts = await Promise.all(ids.map(attemptsOf))
    const requests = await requestsOf(receiver)
    await api.deps.database.query('delete from deliveries where subscription_id = any($1)', [ids])
    await api.deps.database.query('delete from subscriptions where id = any($1)', [ids])
    await close(receiver)
    expect(attempts.map(([attempt]) => attempt?.http_status)).toEqual(targets.map(() => null))
    expect(requests).toHaveLength(1)
  })

  it('fails, and accepts the same event again when it is set to succeed', async () => {
    const receiver = await open()
    await call('PUT', `/${receiver.id}`, { behaviour: 'fail' })
    await raise()
    await dispatcher.runOnce()
    await call('PUT', `/${receiver.id}`, { behaviour: 'accept' })
    aheadMs += 86_400_000
    await dispatcher.runOnce()
    aheadMs = 0
    const requests = await requestsOf(receiver)
    const attempts = await attemptsOf(receiver.subscriptionId)
    await close(receiver)
    expect(requests.map(({ answered, isRepeat }) => [answered, isRepeat])).toEqual([
      [204, true],
      [500, false],
    ])
    expect(attempts.map(({ http_status }) => http_status)).toEqual([500, 204])
  })

  it('answers 410, and its subscription is disabled', async () => {
    const receiver = await open()
    await call('PUT', `/${receiver.id}`, { behaviour: 'gone' })
    await raise()
    await dispatcher.runOnce()
    const subscription = await findSubscription(api.deps.database, api.instanceId, receiver.subscriptionId)
    await close(receiver)
    expect(subscription).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
  })

  it('answers nobody while it is slow', async () => {
    const receiver = await open()
    await call('PUT', `/${receiver.id}`, { behaviour: 'slow' })
    const abort = new AbortController()
    const answer = fetch(receiver.address, { method: 'POST', body: '{}', signal: abort.signal }).catch((error: Error) => error.name)
    await until('the request is kept', async () => ((await requestsOf(receiver)).length > 0 ? true : null))
    abort.abort()
    await close(receiver)
    expect(await answer).toBe('AbortError')
  })

  it('shows a forged request as such, without its credentials', async () => {
    const receiver = await open()
    await send(receiver.address, '{"a":1}', {
      authorization: 'Bearer x',
      cookie: 'y',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,x',
    })
    const [request] = await requestsOf(receiver)
    await close(receiver)
    expect(request?.checks).toEqual({ timestamp: false, headers: false, body: false })
    expect(Object.keys(request?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']))
    expect(Object.keys(request?.headers ?? {})).not.toEqual(expect.arrayContaining(['cookie']))
  })

  it('looks nonexistent to everyone without its token, and after its end', async () => {
    const receiver = await open()
    await close(receiver)
    const tokens = [receiver.address.split('/').at(-1) ?? '', randomBytes(32).toString('base64url'), 'x', '%2e%2e']
    const answers = await Promise.all(tokens.map((token) => send(`${publicUrl}/receiver/${token}`)))
    const bodies = await Promise.all(answers.map(async (answer) => (await answer.text()).replace(/[0-9a-f-]{36}/, 'id')))
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(new Set(bodies).size).toBe(1)
  })

  it('is not a storage: bodies, their number, total size and age are limited, and so are receivers', async () => {
    const receiver = await open()
    const place = { instanceId: api.instanceId, receiverId: receiver.id }
    const { database } = api.deps
    const request = (bytes: number) => ({ id: randomUUID(), headers: {}, body: Buffer.alloc(bytes), checks: CHECKED, answered: 204 })
    const keep = (bytes: number) => inTransaction(database, (db) => saveRequest(db, place, request(bytes), { requests: 3, bytes: 1_000 }))
    const tooLarge = await send(receiver.address, 'x'.repeat(1_048_577))
    for (const bytes of [1, 2, 3, 4]) await keep(bytes)
    const byNumber = (await requestsOf(receiver)).length
    await keep(999)
    const bySum = (await requestsOf(receiver)).length
    await database.query(`update receiver_requests set received_at = clock_timestamp() - interval '8 days'`)
    await pruneEvents(database)
    const byAge = (await requestsOf(receiver)).length
    const others = await Promise.all(Array.from({ length: 10 }, () => call('POST', '', { event: 'NormalizedData' })))
    for (const other of others) if (other.statusCode === 200) await close(other.json())
    await close(receiver)
    expect([tooLarge.status, byNumber, bySum, byAge]).toEqual([413, 3, 1, 0])
    expect(others.filter(({ statusCode }) => statusCode === 409)).toHaveLength(1)
  })

  it('deletes what refers to a company when the company is deleted', async () => {
    const receiver = await open()
    const { database } = api.deps
    const id = await addCompany(database, api.instanceId)
    await send(receiver.address, JSON.stringify({ Data: { CompanyId: id, Email: 'owner@example.com' } }))
    await send(receiver.address, JSON.stringify({ Data: { CompanyId: randomUUID() } }))
    const deleted = await inTransaction(database, (db) => deleteCompany(db, api.instanceId, id))
    const kept = await requestsOf(receiver)
    await close(receiver)
    expect([deleted, kept.length]).toEqual(['deleted', 1])
  })

  it('deletes its subscription with itself, but not one that has another address by now', async () => {
    const receivers = [await open(), await open(), await open()]
    const { database } = api.deps
    const move = (index: number, to: string) =>
      database.query('update subscriptions set callback_url = $2 where id = $1', [receivers[index]?.subscriptionId, to])
    await move(1, 'https://example.com/')
    await move(2, `${publicUrl}/receiver/${randomBytes(32).toString('base64url')}`)
    for (const receiver of receivers) await close(receiver)
    const kept = await Promise.all(receivers.map(({ subscriptionId }) => findSubscription(database, api.instanceId, subscriptionId)))
    expect(kept.map((subscription) => subscription !== null)).toEqual([false, true, true])
  })

  it('accepts 300 requests a minute and then asks to wait', async () => {
    const receiver = await open()
    const url = new URL(receiver.address).pathname
    const statuses: number[] = []
    // Five at a time: more would exceed the wait for a database connection.
    while (statuses.length < 305) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => api.app.inject({ method: 'POST', url })))
      statuses.push(...answers.map(({ statusCode }) => statusCode))
    }
    const kept = await requestsOf(receiver)
    await close(receiver)
    expect([statuses.filter((status) => status === 204).length, statuses.filter((status) => status === 429).length]).toEqual([300, 5])
    expect(kept).toHaveLength(100)
  })
})
