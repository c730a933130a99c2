import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/api/access/keys/scopes.ts'
import { placeEvents } from '../harness/app/place-events.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'
import { withoutInstanceFilter } from './without-instance-filter.ts'

const api = openForTests(openApiHarness)
/** Ids of existing resources of the other customer, by path parameter. */
let foreign: Record<string, string>
let otherTenant = ''
/** A key of the other customer with every scope. */
let otherKey = ''
/**
 * The real service, and one in which every query omits the instance filter, so that only row-level security separates
 * the tenants.
 */
let apps: Record<'as it is' | 'with forgetful queries', FastifyInstance>
beforeAll(async () => {
  apps = {
    'as it is': api.app,
    'with forgetful queries': api.openOn({ ...api.syncHarness.deps, database: withoutInstanceFilter(api.syncHarness.deps.database) }),
  }
  const other = await api.openOtherInstance()
  otherTenant = other.token
  const made = await api.app.inject({
    method: 'POST',
    url: '/admin/api/v1/api-keys',
    headers: { authorization: `Bearer ${otherTenant}` },
    payload: { name: 'Theirs', scopes: [...SCOPES] },
  })
  otherKey = made.json<{ key: string }>().key
  const callbackUrl = 'http://127.0.0.1:9/events'
  const subscription = (await api.call('POST', '/webhooks/subscriptions/NormalizedData', { body: { callbackUrl } })).json() as unknown as {
    id: string
  }
  await api.call('POST', `/webhooks/subscriptions/${subscription.id}/replay`, { body: { undeliveredSince: '2020-01-01' } })
  await placeEvents(api.syncHarness.deps.database, api.syncHarness.instanceId)
  const receiver = (await api.call('POST', '/webhooks/receivers', { body: { event: 'NormalizedData' } })).json() as unknown as {
    id: string
  }
  const [session] = (await api.call('GET', '/auth/sessions')).json() as unknown as { id: string }[]
  const apiKey = (await api.call('POST', '/api-keys', { body: { name: 'Import', scopes: ['data:read'] } })).json() as unknown as {
    id: string
  }
  const replay = (await api.call('POST', '/normalized-data/replays', { body: {} })).json() as unknown as { id: string }
  const body = { category: 'Banking', entity: 'Accounts', format: 'csv' }
  const exported = (await api.call('POST', '/normalized-data/exports', { body })).json() as unknown as { id: string }
  const idIn = async (table: string): Promise<string> => {
    const of = [api.syncHarness.instanceId]
    const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(`select id from ${table} where instance_id = $1 limit 1`, of)
    return rows[0]?.id ?? expect.fail(`nothing is in ${table}`)
  }
  const [recordId, userId] = [await idIn('record_versions'), await idIn('users')]
  foreign = {
    companyId: api.syncHarness.companyId,
    // A child service, since parents are shared by all.
    serviceId: await api.addChildService(),
    subscriptionId: subscription.id,
    eventNameOrSubscriptionId: subscription.id,
    deliveryId: await idIn('deliveries'),
    eventId: await idIn('events'),
    userId,
    jobId: await addDeadJob(),
    accountId: recordId,
    transactionId: recordId,
    replayId: replay.id,
    exportId: exported.id,
    destinationId: await addDestination(),
    runId: await idIn('sync_runs'),
    receiverId: receiver.id,
    feedId: await addFeed(),
    // Sources are shared by all, so this one does not exist.
    sourceKey: 'no-such-source',
    requestId: await addInstitutionRequest(),
    keyId: apiKey.id,
    sessionId: session?.id ?? '',
    passkeyId: await addPasskey(userId),
  }
})
afterAll(async () => {
  await apps['with forgetful queries'].close()
})

async function addDeadJob(): Promise<string> {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(
    `insert into jobs (instance_id, kind, key, state, died_at) values ($1, 'sync', 'dead', 'dead', clock_timestamp()) returning id`,
    [api.syncHarness.instanceId],
  )
  return rows[0]?.id ?? ''
}

async function addDestination(): Promise<string> {
  const body = {
    name: 'Lake',
    endpoint: 'https://s3.example.com',
    region: 'ca-1',
    bucket: 'lake',
    accessKeyId: 'AK',
    secretAccessKey: 'SK',
  }
  return ((await api.call('POST', '/export-destinations', { body })).json() as unknown as { id: string }).id
}

async function addPasskey(userId: string): Promise<string> {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(
    `insert into passkeys (instance_id, id, user_id, name, credential_id, public_key, sign_count, transports, created_at)
     values ($1, gen_random_uuid(), $2, 'Laptop', '\\x01', '\\x02', 0, '{}', clock_timestamp()) returning id`,
    [api.syncHarness.instanceId, userId],
  )
  return rows[0]?.id ?? ''
}

async function addInstitutionRequest(): Promise<string> {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(
    `insert into institution_requests (instance_id, id, service_id, name, country, requested_by)
     values ($1, gen_random_uuid(), gen_random_uuid(), 'Caisse', 'CA', 'dev@example.com') returning id`,
    [api.syncHarness.instanceId],
  )
  return rows[0]?.id ?? ''
}

async function addFeed(): Promise<string> {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(
    `insert into file_feeds (instance_id, id, name, source, every_minutes) values ($1, gen_random_uuid(), 'Feed', $2, 15) returning id`,
    [api.syncHarness.instanceId, JSON.stringify({ kind: 'folder', path: 'inbox' })],
  )
  return rows[0]?.id ?? ''
}

/** The response without the request id, which always differs. */
function comparable(answer: { statusCode: number; payload: string }, ids: string[]): unknown {
  let text = answer.payload.replace(/"requestId":"[^"]+"/, '')
  for (const id of ids) text = text.replaceAll(id, '<id>')
  return { status: answer.statusCode, text }
}

const BODIES: Record<string, unknown> = {
  answerInstitutionRequest: { answer: 'Mine now' },
  updateCompany: { name: 'Mine now' },
  updateSubscription: { event: 'RawData' },
  enableSubscription: {},
  rotateSubscriptionSecret: {},
  promoteSubscriptionSecret: {},
  replayEvents: { undeliveredSince: '2020-01-01' },
  updateFileFeed: { name: 'Mine now', source: { kind: 'folder', path: 'mine' } },
  updateReceiver: { behaviour: 'gone' },
  sendConnectionLink: { to: 'owner@example.com', language: 'en' },
  sendOwnerPage: { to: 'owner@example.com', language: 'en' },
  inviteUser: {},
  sendExport: { destinationId: randomUUID() },
  replicateToDestination: {},
  rotateApiKey: {},
  updateServiceSchedule: { everyMinutes: 60 },
  updateConnectionSchedule: { everyMinutes: 60 },
  updateSource: { isHidden: true },
  updateSourceKeys: { keys: { clientId: 'mine' } },
  renamePasskey: { name: 'Mine now' },
  updateUser: { name: 'Mine now', role: 'admin', isEnabled: true },
}

describe.each(['as it is', 'with forgetful queries'] as const)('a thing of another instance, %s,', (kind) => {
  it('gets the same bytes as a nonexistent one, on every route that takes an id', async () => {
    // Excludes the operation that takes an event name where others on its path take an id.
    const routes = api.operations.filter(({ path, operation }) => path.includes('{') && operation.operationId !== 'createSubscription')
    expect(routes.length).toBeGreaterThan(20)
    for (const { path, method, operation } of routes) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
      const unknown = names.filter((name) => !(name in foreign))
      expect(unknown, `${path}: say here which foreign id to try`).toEqual([])
      const ask = async (token: string, ids: Record<string, string>) => {
        const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
        const body = BODIES[operation.operationId]
        const answer = await apps[kind].inject({
          method: method as 'GET',
          url,
          headers: { authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { payload: body as object }),
        })
        return comparable(answer, Object.values(ids))
      }
      const random = Object.fromEntries(names.map((name) => [name, randomUUID()]))
      const isForKeys = /Scope of API keys/.test(operation.description ?? '')
      for (const [token, status] of [
        [otherTenant, 404],
        [otherKey, isForKeys ? 404 : 403],
      ] as const) {
        const theirs = await ask(token, foreign)
        expect(theirs, `${method} ${path}`).toEqual(await ask(token, random))
        expect(theirs, `${method} ${path}`).toMatchObject({ status })
      }
    }
  })

  it('is in no list of another instance', async () => {
    const lists = api.operations.filter(
      ({ path, method }) => method === 'GET' && !path.includes('{') && !/openapi|healthz|readyz|metrics|jwks|docs/.test(path),
    )
    for (const { path, operation } of lists) {
      const needed = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required)
      const query = Object.fromEntries(needed.map(({ name, example }) => [name, String(example)]))
      const answer = await apps[kind].inject({ url: path, query, headers: { authorization: `Bearer ${otherTenant}` } })
      expect(answer.statusCode, path).toBe(200)
      for (const id of Object.values(foreign)) expect(answer.payload, path).not.toContain(id)
      expect(answer.payload, path).not.toContain(api.syncHarness.instanceId)
    }
  })

  it('is unchanged by all of these requests', async () => {
    expect((await api.call('GET', `/normalized-data/companies/${api.syncHarness.companyId}`)).json()).toMatchObject({
      name: 'Boulangerie du Plateau',
    })
    expect((await api.call('GET', `/webhooks/subscriptions/${foreign.subscriptionId}`)).json()).toMatchObject({ event: 'NormalizedData' })
  })
})
