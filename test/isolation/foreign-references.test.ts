import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiHarness } from '../api/harness.ts'
import { withoutInstanceFilter } from '../api/without-instance-filter.ts'
import { openForTests } from '../harness/for-tests.ts'

/** Ids that a request names in its body or query: of another instance they look unknown, as those in a path do. */
interface Asked {
  url: string
  body?: object
}

const api = openForTests(openApiHarness)
let apps: Record<'as it is' | 'with forgetful queries', FastifyInstance>
/** Ids of the first instance, by property or parameter. */
let foreign: Record<string, string>
/** Token of the second instance, which asks, and paths of what is its own. */
let token = ''
let own: Record<'export' | 'subscription' | 'feed', string>

beforeAll(async () => {
  const { deps, companyId, instanceId } = api.syncHarness
  apps = { 'as it is': api.app, 'with forgetful queries': api.openOn({ ...deps, database: withoutInstanceFilter(deps.database) }) }
  token = (await api.openOtherInstance()).token
  const { rows } = await deps.database.query<{ id: string }>('select id from events where instance_id = $1 limit 1', [instanceId])
  const destination = (await api.call('POST', '/export-destinations', { body: BUCKET })).json() as unknown as { id: string }
  foreign = { companyId, eventId: rows[0]?.id ?? '', destinationId: destination.id, serviceId: await api.addChildService() }
  own = {
    export: await created('/normalized-data/exports', { category: 'Banking', entity: 'Accounts', format: 'csv' }),
    subscription: await created('/webhooks/subscriptions/NormalizedData', { callbackUrl: 'http://127.0.0.1:9/' }),
    feed: await created('/file-feeds', FEED),
  }
})
afterAll(async () => {
  await apps?.['with forgetful queries'].close()
})

const BUCKET = {
  ...{ name: 'Lake', endpoint: 'https://s3.example.com', region: 'ca-1' },
  bucket: 'lake',
  accessKeyId: 'AK',
  secretAccessKey: 'SK',
}
const SFTP = {
  ...{ kind: 'sftp', host: 'sftp.example', user: 'bank', path: '/out' },
  hostKey: `SHA256:${'A'.repeat(43)}`,
  password: 'secret',
}
const FEED = { name: 'Bank', source: SFTP }
const EXPORT = { category: 'Banking', entity: 'Accounts', format: 'csv' }

/** A request that is right but for the id, by operation and the property or parameter that holds it. */
const REQUESTS: Record<string, (id: string) => Asked> = {
  'listChanges CompanyId': (id) => ({ url: `/normalized-data/changes?CompanyId=${id}` }),
  'requestExport companyId': (companyId) => ({ url: '/normalized-data/exports', body: { ...EXPORT, companyId } }),
  'sendExport destinationId': (destinationId) => ({ url: `/normalized-data/exports/${own.export}/deliver`, body: { destinationId } }),
  'startReplay companyId': (companyId) => ({ url: '/normalized-data/replays', body: { companyId } }),
  'startReplay serviceId': (serviceId) => ({ url: '/normalized-data/replays', body: { serviceId } }),
  'requestInstitution serviceId': (serviceId) => ({
    url: '/normalized-data/institution-requests',
    body: { serviceId, name: 'Caisse', country: 'CA' },
  }),
  'replayEvents eventId': (eventId) => ({ url: `/webhooks/subscriptions/${own.subscription}/replay`, body: { eventId } }),
  'countEventsToReplay eventId': (eventId) => ({ url: `/webhooks/subscriptions/${own.subscription}/replay?eventId=${eventId}` }),
  'createFileFeed companyId': (companyId) => ({ url: '/file-feeds', body: { ...FEED, companyId } }),
  'updateFileFeed companyId': (companyId) => ({ url: `/file-feeds/${own.feed}`, body: { ...FEED, companyId } }),
}

interface Schema {
  $ref?: string
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** Names of the properties that are ids, at any depth. */
function idsIn(schema: Schema, name = ''): string[] {
  const found = (api.document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema) as Schema
  const inside = Object.entries(found.properties ?? {}).flatMap(([property, each]) => idsIn(each, property))
  const others = [...(found.anyOf ?? []), ...(found.items ? [found.items] : [])].flatMap((each) => idsIn(each, name))
  return [...(found.format === 'uuid' ? [name] : []), ...inside, ...others]
}

async function created(url: string, payload: object): Promise<string> {
  const answer = await api.app.inject({
    method: 'POST',
    url: `/admin/api/v1${url}`,
    headers: { authorization: `Bearer ${token}` },
    payload,
  })
  expect([url, answer.statusCode]).toEqual([url, expect.toBeOneOf([200, 201, 202])])
  return answer.json<{ id: string }>().id
}

it('covers every id in a body or a query of the API', () => {
  const named = api.operations.flatMap(({ operation }) => {
    const inBody = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => idsIn(schema))
    const inQuery = (operation.parameters ?? []).flatMap(({ in: place, name, schema }) => (place === 'query' ? idsIn(schema, name) : []))
    return [...new Set([...inBody, ...inQuery])].map((name) => `${operation.operationId} ${name}`)
  })
  expect(named.sort()).toEqual(Object.keys(REQUESTS).sort())
})

describe.each(['as it is', 'with forgetful queries'] as const)('an id of another instance, %s,', (kind) => {
  it.each(Object.keys(REQUESTS))('gets the same bytes as an unknown one: %s', async (name) => {
    const { operation, method } = api.operations.find(({ operation: { operationId } }) => name.startsWith(`${operationId} `)) ?? {}
    const property = name.split(' ')[1] ?? ''
    const ask = async (id: string) => {
      const { url, body } = REQUESTS[name]?.(id) ?? { url: '' }
      const answer = await apps[kind].inject({
        method: method as 'GET',
        url: `/admin/api/v1${url}`,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { payload: body }),
      })
      return [answer.statusCode, answer.payload.replaceAll(id, '<id>').replace(/"requestId":"[^"]+"/, '')]
    }
    const id = foreign[property.charAt(0).toLowerCase() + property.slice(1)] ?? ''
    const unknown = await ask(randomUUID())
    expect(id).not.toBe('')
    expect(await ask(id), operation?.summary).toEqual(unknown)
    expect(unknown[0]).toBe(404)
  })
})
