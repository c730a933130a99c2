import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { insertPasskey } from '../../src/store/access/passkeys.ts'
import { withResourceLock } from '../../src/store/access/resource-locks.ts'
import { createSession } from '../../src/store/access/sessions.ts'
import { readUsage } from '../../src/store/access/usage.ts'
import { suspendSubscription } from '../../src/webhooks/subscriptions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { settingsFor } from '../identity-provider/harness.ts'
import { until } from '../process/deadline.ts'
import { DIRECTORY_SERVICE, openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)
let companyId = ''
beforeAll(async () => {
  companyId = await createdId('/normalized-data/company', { name: 'Boulangerie' })
})

async function createdId(url: string, body: unknown): Promise<string> {
  const answer = await api.call('POST', url, { body })
  expect([url, answer.statusCode]).toEqual([url, expect.toBeOneOf([200, 201])])
  return (answer.json() as unknown as { id: string }).id
}

const STALE = '"not-what-it-is"'
/** A one-pixel image. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const PROVIDER = { ...settingsFor('https://login.example.com'), clientId: 'app' }

interface Changeable {
  /** Path of the update, and of the GET that returns the ETag. */
  path: string
  etagOf: string
  method: 'PUT' | 'DELETE'
  body?: unknown
}

/** Everything that the API can update, by operation id; created for the test, so that it may be changed. */
const CHANGES: Record<string, () => Promise<Changeable>> = {
  updateCompany: async () => same('PUT', `/normalized-data/companies/${companyId}`, { name: 'Boulangerie du Plateau' }),
  deleteCompany: async () => same('DELETE', `/normalized-data/companies/${companyId}`),
  deleteExportDestination: async () => same('DELETE', `/export-destinations/${await createdId('/export-destinations', DESTINATION)}`),
  deleteExport: async () => same('DELETE', await requestedExport()),
  updateOwnerPages: async () => {
    const now = (await api.call('GET', '/instance/owner-pages')).json() as unknown as Record<string, unknown>
    const { contrast: _contrast, logo: _logo, ...body } = now
    return same('PUT', '/instance/owner-pages', { ...body, publicName: 'Prêteur' })
  },
  updateLogo: async () => at('PUT', '/instance/owner-pages/logo', '/instance/owner-pages', { content: PNG }),
  deleteLogo: async () => at('DELETE', '/instance/owner-pages/logo', '/instance/owner-pages'),
  updateFileFeed: async () => {
    const { path } = await feed()
    return same('PUT', path, { name: 'Renamed', source: SFTP })
  },
  deleteFileFeed: async () => same('DELETE', (await feed()).path),
  updateSource: async () => same('PUT', '/sources/books', { isHidden: true }),
  updateSourceKeys: async () => at('PUT', '/sources/books/keys', '/sources/books', { keys: { clientId: 'a' } }),
  deleteSourceKeys: async () => at('DELETE', '/sources/books/keys', '/sources/books'),
  updateSubscription: async () => same('PUT', await subscription(), { event: 'RawData' }),
  deleteSubscription: async () => same('DELETE', await subscription()),
  updateReceiver: async () => same('PUT', await receiver(), { behaviour: 'fail' }),
  deleteReceiver: async () => same('DELETE', await receiver()),
  deleteReceivedRequests: async () => same('DELETE', `${await receiver()}/requests`),
  updateIdentityProvider: async () => same('PUT', '/identity-provider', PROVIDER),
  deleteIdentityProvider: async () => {
    await api.call('PUT', '/identity-provider', { body: PROVIDER })
    return same('DELETE', '/identity-provider')
  },
  updateMailSettings: async () => same('PUT', '/mail-settings', { writesToOwners: true }),
  updateUser: async () => same('PUT', await user(), { name: 'Renamed', role: 'viewer', isEnabled: true }),
  updateGroupRoles: async () => same('PUT', '/group-roles', { groupRoles: [{ group: 'Finance', role: 'viewer' }] }),
  deleteUser: async () => same('DELETE', await user()),
  revokeApiKey: async () => {
    const made = await api.call('POST', '/api-keys', { body: { name: 'Nightly import', scopes: ['companies:read'] } })
    return same('DELETE', `/api-keys/${(made.json() as unknown as { key: { id: string }; id: string }).id}`)
  },
  endSession: async () => same('DELETE', `/auth/sessions/${await session()}`),
  renamePasskey: async () => same('PUT', `/auth/passkeys/${await passkey()}`, { name: 'Old laptop' }),
  deletePasskey: async () => same('DELETE', `/auth/passkeys/${await passkey()}`),
  updateSignInRules: async () => same('PUT', '/instance/sign-in-rules', { requiresTwoStep: false }),
  updateMcpAccess: async () => same('PUT', '/instance/mcp-access', { isEnabled: true }),
  endUserSessions: async () => {
    const path = await user()
    return at('DELETE', `${path}/sessions`, path)
  },
  resetUserTwoStep: async () => {
    const path = await user()
    return at('DELETE', `${path}/two-step`, path)
  },
  revokeOwnerAddresses: async () => same('DELETE', `/normalized-data/company/${api.syncHarness.companyId}/owner-addresses`),
  answerInstitutionRequest: async () => {
    const body = { serviceId: DIRECTORY_SERVICE, name: 'Caisse de Rimouski', country: 'CA' }
    return same('PUT', `/normalized-data/institution-requests/${await createdId('/normalized-data/institution-requests', body)}`, {
      answer: 'Soon.',
    })
  },
  updateServiceSchedule: async () => same('PUT', `/normalized-data/services/${toServiceId('bank')}/schedule`, { everyMinutes: 60 }),
  resetServiceSchedule: async () => same('DELETE', `/normalized-data/services/${toServiceId('bank')}/schedule`),
  updateConnectionSchedule: async () => same('PUT', `${connection('bank')}/schedule`, { everyMinutes: 60 }),
  resetConnectionSchedule: async () => same('DELETE', `${connection('bank')}/schedule`),
  disconnectConnection: async () => {
    return at('DELETE', connection('books'), `${connection('books')}/status`)
  },
}
/** The scripted sources take no custom keys; a new user has no second step. */
const REFUSED = new Map([
  ['updateSourceKeys', 409],
  ['deleteSourceKeys', 409],
  ['resetUserTwoStep', 409],
])

const connection = (key: string) => `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${toServiceId(key)}`
const at = (method: 'PUT' | 'DELETE', path: string, etagOf: string, body?: unknown): Changeable => ({ method, path, etagOf, body })
const same = (method: 'PUT' | 'DELETE', path: string, body?: unknown): Changeable => at(method, path, path, body)
const requestedExport = async () => {
  const { exportId } = await requestExport()
  return `/normalized-data/exports/${exportId}`
}
async function requestExport(): Promise<{ exportId: string }> {
  const body = { category: 'Banking', entity: 'Accounts', format: 'csv' }
  const answer = await api.call('POST', '/normalized-data/exports', { body })
  return { exportId: (answer.json() as unknown as { id: string }).id }
}
let made = 0
const DESTINATION = {
  name: 'Lake',
  endpoint: 'https://s3.example.com',
  region: 'ca-1',
  bucket: 'lake',
  accessKeyId: 'AK',
  secretAccessKey: 'SK',
}
const SFTP = {
  kind: 'sftp',
  host: 'sftp.example',
  port: 22,
  user: 'bank',
  path: '/out',
  hostKey: `SHA256:${'A'.repeat(43)}`,
  password: 'secret',
}
const feed = async () => ({ path: `/file-feeds/${await createdId('/file-feeds', { name: 'Bank', source: SFTP })}` })
const subscription = async () => {
  made += 1
  return `/webhooks/subscriptions/${await createdId('/webhooks/subscriptions/NormalizedData', { callbackUrl: `https://receiver.example/${made}` })}`
}
const receiver = async () => `/webhooks/receivers/${await createdId('/webhooks/receivers', { event: 'RawData' })}`
const user = async () => {
  made += 1
  const body = { email: `u${made}@example.com`, name: 'User', role: 'viewer', password: 'violet-harbour-teapot-92' }
  return `/users/${await createdId('/users', body)}`
}

async function session(): Promise<string> {
  const { id: userId, instanceId } = (await api.call('GET', '/auth/me')).json() as unknown as { id: string; instanceId: string }
  const { database, now } = api.syncHarness.deps
  const ends = new Date(now().getTime() + 86_400_000)
  const id = randomUUID()
  const opened = { instanceId, id, userId, tokenHash: randomBytes(32), origin: null, at: now() } as const
  await createSession(database, { ...opened, expiresAt: ends, tokenExpiresAt: ends })
  return id
}

async function passkey(): Promise<string> {
  const { id, instanceId } = (await api.call('GET', '/auth/me')).json() as unknown as { id: string; instanceId: string }
  const { database, now } = api.syncHarness.deps
  const added = {
    id: randomUUID(),
    name: 'Laptop',
    credentialId: randomBytes(32),
    publicKey: randomBytes(77),
    signCount: 0,
    transports: [],
  }
  await insertPasskey(database, { kind: 'user', instanceId, id }, added, now())
  return added.id
}

async function etagAt(url: string): Promise<string> {
  const answer = await api.call('GET', url)
  expect([url, answer.statusCode, String(answer.headers.etag)]).toEqual([url, 200, expect.stringMatching(/^"[\w-]{27}"$/)])
  return String(answer.headers.etag)
}

it('cover all PUT and DELETE operations of the API', () => {
  const operations = api.operations.filter(({ method }) => ['PUT', 'DELETE', 'PATCH'].includes(method.toUpperCase()))
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(ids.sort()).toEqual(Object.keys(CHANGES).sort())
})

describe.each(Object.keys(CHANGES))('%s', (operationId) => {
  it('is refused with 412 for another ETag and changes nothing; with the current one it works as without', async () => {
    const change = await CHANGES[operationId]?.()
    if (!change) throw new Error('unknown change')
    const { method, path, etagOf, body } = change
    const send = (ifMatch: string) => api.call(method, path, { headers: { 'if-match': ifMatch }, ...(body === undefined ? {} : { body }) })
    const before = await etagAt(etagOf)
    for (const wrong of [STALE, `W/${before}`, `${STALE}, W/"x"`]) expect([wrong, (await send(wrong)).statusCode]).toEqual([wrong, 412])
    expect(await etagAt(etagOf)).toBe(before)
    const done = await send(`${STALE}, ${before}`)
    expect([operationId, done.statusCode]).toEqual([operationId, REFUSED.get(operationId) ?? expect.toBeOneOf([200, 202, 204])])
  })
})

/** POST actions, and the resource that each changes or uses. */
const ACTIONS: Record<string, () => Promise<{ path: string; etagOf: string; body?: unknown }>> = {
  refreshConnection: async () => ({ path: `${connection('bank')}/refresh`, etagOf: `${connection('bank')}/status` }),
  suspendConnection: async () => ({ path: `${connection('bank')}/suspend`, etagOf: `${connection('bank')}/status` }),
  resumeConnection: async () => ({ path: `${connection('bank')}/resume`, etagOf: `${connection('bank')}/status` }),
  rotateSubscriptionSecret: async () => {
    const etagOf = await subscription()
    return { path: `${etagOf}/secret/rotate`, etagOf, body: {} }
  },
}

describe.each(Object.keys(ACTIONS))('%s', (operationId) => {
  it('is refused with 412 for another ETag; with the current one it works as without', async () => {
    const action = await ACTIONS[operationId]?.()
    if (!action) throw new Error('unknown action')
    const { path, etagOf, body } = action
    const send = (ifMatch: string) => api.call('POST', path, { headers: { 'if-match': ifMatch }, ...(body === undefined ? {} : { body }) })
    const before = await etagAt(etagOf)
    const [refused, after] = [await send(STALE), await etagAt(etagOf)]
    expect([refused.statusCode, after, (await send(before)).statusCode]).toEqual([412, before, expect.toBeOneOf([200, 202])])
  })
})

it('a POST that changes no resource with an ETag never ignores If-Match', async () => {
  const body = { name: 'Never made' }
  const answer = await api.call('POST', '/normalized-data/company', { headers: { 'if-match': '*' }, body })
  const { rows } = await api.syncHarness.deps.database.query('select from companies where name = $1', [body.name])
  expect([answer.statusCode, rows.length]).toEqual([412, 0])
})

it('an If-Match longer than is documented is refused, also with the key of a request that was answered', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { name: 'Asked once' }
  const post = (more: Record<string, string>) => api.call('POST', '/normalized-data/company', { headers: { ...headers, ...more }, body })
  const first = await post({})
  const answers = [await post({}), await post({ 'if-match': '*'.repeat(1_001) })]
  expect([first, ...answers].map(({ statusCode }) => statusCode)).toEqual([201, 201, 400])
})

describe('while somebody compares and changes a subscription', () => {
  it.each(['a POST to it', 'a dispatcher that disables it'])('%s waits', async (who) => {
    const { database } = api.syncHarness.deps
    const { instanceId } = api.syncHarness
    const path = await subscription()
    const { held, release } = { held: Promise.withResolvers<void>(), release: Promise.withResolvers<void>() }
    const lock = { instanceId, path: `/admin/api/v1${path}`, isExclusive: true }
    const holding = withResourceLock(database, lock, async () => {
      held.resolve()
      await release.promise
    })
    await held.promise
    let isDone = false
    const work = (
      who === 'a POST to it'
        ? api.call('POST', `${path}/secret/rotate`, { body: {} })
        : suspendSubscription(database, instanceId, path.split('/').at(-1) ?? '', 'gone')
    ).then(() => {
      isDone = true
    })
    await until('a lock that is waited for', async () => {
      const { rows } = await database.query(`select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and not granted`)
      return rows.length > 0 || isDone ? true : null
    })
    expect(isDone).toBe(false)
    release.resolve()
    await Promise.all([holding, work])
  })
})

it('of fifty concurrent writers at two processes with the same ETag exactly one succeeds, and no update is lost', async () => {
  const path = `/normalized-data/companies/${await createdId('/normalized-data/company', { name: 'Raced' })}`
  const other = api.openOn(api.syncHarness.deps)
  const ifMatch = await etagAt(path)
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_one, n) => {
      const answer = await (n % 2 === 0 ? api.app : other).inject({
        method: 'PUT',
        url: `/admin/api/v1${path}`,
        headers: { authorization: `Bearer ${api.tokens.admin}`, 'if-match': ifMatch },
        payload: { name: `Writer ${n}` },
      })
      return { n, status: answer.statusCode }
    }),
  )
  await other.close()
  const right = answers.filter(({ status }) => status === 200)
  expect([right.length, answers.filter(({ status }) => status === 412).length]).toEqual([1, 49])
  expect((await api.call('GET', path)).json()).toMatchObject({ name: `Writer ${right[0]?.n}` })
})

it('the ETag ignores properties that change by themselves', async () => {
  const { path } = await feed()
  const before = await etagAt(path)
  await api.syncHarness.deps.database.query(`update file_feeds set checked_at = clock_timestamp(), problem = 'away'`)
  expect(await etagAt(path)).toBe(before)
})

it('a run leaves the ETag of its connection unchanged', async () => {
  const path = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}/status`
  const before = await etagAt(path)
  const { deps, instanceId, companyId } = api.syncHarness
  const { rows } = await deps.database.query<{ id: string; counts: unknown }>('select connection_id as id, counts from sync_runs')
  const insert = `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, counts)
    values ($1, $2, $3, $4, 'scheduled', 'running', 1, $5)`
  for (const { id, counts } of rows) await deps.database.query(insert, [instanceId, randomUUID(), id, companyId, counts])
  expect(await etagAt(path)).toBe(before)
})

it('the internal read of the resource is not counted as a request of the caller', async () => {
  const { instanceId, token } = await api.openOtherInstance()
  const { deps } = api.syncHarness
  const app = api.openOn(deps)
  const headers = { authorization: `Bearer ${token}` }
  const url = '/admin/api/v1/mail-settings'
  for (const ifMatch of [STALE, STALE, '*'])
    await app.inject({ method: 'PUT', url, headers: { ...headers, 'if-match': ifMatch }, payload: { writesToOwners: true } })
  await app.close()
  const counted = (await readUsage(deps.database, instanceId, 1)).api.map(({ operation, status, count }) => [operation, status, count])
  expect(counted).toEqual([
    ['updateMailSettings', 200, 1],
    ['updateMailSettings', 412, 2],
  ])
})

describe('If-Match of an API key', () => {
  it('that may change a resource and not read it is refused with 403 and changes nothing', async () => {
    const path = `/normalized-data/companies/${await createdId('/normalized-data/company', { name: 'Épicerie' })}`
    const made = await api.call('POST', '/api-keys', { body: { name: 'Writer', scopes: ['companies:write'] } })
    const headers = { authorization: `Bearer ${String(made.json().key)}`, 'if-match': await etagAt(path) }
    const before = (await api.call('GET', path)).json()
    expect((await api.call('PUT', path, { role: null, headers, body: { name: 'Other' } })).statusCode).toBe(403)
    expect((await api.call('GET', path)).json()).toEqual(before)
  })
})
