import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { openApiHarness } from '../api/harness.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { addUser, tokenOf } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { beforePiece, readStream } from './streams.ts'

/** More than two pieces. */
const ACCOUNTS = 1_201
const ROUTE = '/admin/api/v1/normalized-data/:companyId/banking/accounts/:serviceId'

interface Line {
  msg: string
  route: string
  method: string
  isCut?: true
}

const api = openForTests(openApiHarness)
let close: () => Promise<void>
let metrics: ReturnType<typeof apiDeps>['metrics']
let url = ''
let origin = ''
let admin = ''
/** How far the clock of the service is ahead. */
let aheadMs = 0
let lines: Line[] = []
beforeAll(async () => {
  const { deps } = api.syncHarness
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) })
  const sync = { ...deps, now: () => new Date(Date.now() + aheadMs) }
  const served = apiDeps({ sync, keys: await testKeys(), log })
  metrics = served.metrics
  const app = createApi(served)
  close = () => app.close()
  origin = `${await app.listen({ host: '127.0.0.1', port: 0 })}/admin/api/v1`
  url = `${origin}/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}`
  admin = await tokenOf(app, api.emails.admin)
  const { rows } = await deps.database.query<{ id: string }>(`select id from connections where category = 'Banking'`)
  api.bank.accounts = Array.from({ length: ACCOUNTS }, (_, n) => ({ id: `a${n}`, name: `Account ${n}`, balance: '1.00' }))
  await api.syncHarness.sync(rows[0]?.id ?? '')
}, 60_000)
beforeEach(() => {
  lines = []
  metrics.resetMetrics()
})
afterEach(() => {
  vi.restoreAllMocks()
  // What a test undid is known in the next.
  aheadMs += 1_001
})
afterAll(async () => {
  await close()
})

async function open(token = admin): Promise<IncomingMessage> {
  const [response] = await once(get(url, { headers: { accept: 'application/x-ndjson', authorization: `Bearer ${token}` } }), 'response')
  expect(response.statusCode).toBe(200)
  return response
}

/** Number of answers that the metrics have, and the seconds that they took. */
async function measured(): Promise<{ count: number; seconds: number }> {
  const text = await metrics.getSingleMetricAsString('http_request_duration_seconds')
  const read = (name: string) => Number(new RegExp(`_${name}\\{[^}]*route="${ROUTE}"[^}]*\\} (\\S+)`).exec(text)?.[1] ?? 0)
  return { count: read('count'), seconds: read('sum') }
}

const cut = () => lines.filter(({ isCut }) => isCut)

async function untilCut(): Promise<void> {
  while (cut().length === 0) await setImmediate()
}

const post = async (path: string, token: string, body: unknown = {}, method = 'POST') =>
  await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  })

describe('a stream that breaks off is in the log and the metrics', () => {
  it('when its client goes away', async () => {
    const { promise: isGiven, resolve: give } = Promise.withResolvers<void>()
    beforePiece(api.syncHarness.deps.database, 2, () => isGiven)
    const response = await open()
    response.destroy()
    await untilCut()
    give()
    expect(cut()).toEqual([expect.objectContaining({ msg: 'request', method: 'GET', route: ROUTE, status: 200 })])
    expect(await measured()).toMatchObject({ count: 1 })
  })

  it('when the service breaks it off', async () => {
    beforePiece(api.syncHarness.deps.database, 2, () => Promise.reject(new Error('a disk is gone')))
    expect(await readStream(await open())).toMatchObject({ isWhole: false })
    await untilCut()
    expect(lines.map(({ msg, isCut }) => [msg, isCut])).toEqual([
      ['request failed', undefined],
      ['request', true],
    ])
    expect(await measured()).toMatchObject({ count: 1 })
  })
})

it('a refusal that If-Match reads within the process is no answer that breaks off', async () => {
  const path = `${origin}/normalized-data/companies/${randomUUID()}`
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json', 'if-match': '"1"' }
  const answer = await fetch(path, { method: 'PUT', headers, body: JSON.stringify({ name: 'Boulangerie', country: 'CA' }) })
  expect(answer.status).toBe(404)
  while (!lines.some(({ method }) => method === 'PUT')) await setImmediate()
  expect(lines.map(({ msg, isCut }) => [msg, isCut])).toEqual(lines.map(() => ['request', undefined]))
})

it('a whole stream is measured once, until it begins', async () => {
  const { promise: isGiven, resolve: give } = Promise.withResolvers<void>()
  beforePiece(api.syncHarness.deps.database, 2, () => isGiven)
  const startedMs = performance.now()
  const response = await open()
  const begunMs = performance.now() - startedMs
  give()
  expect(await readStream(response)).toMatchObject({ isWhole: true })
  while ((await measured()).count === 0) await setImmediate()
  const { count, seconds } = await measured()
  expect([count, seconds * 1_000 <= begunMs, lines]).toEqual([1, true, []])
})

describe('a stream ends with what it was asked with', () => {
  it('session', async () => {
    const token = await sessionOf(api.emails.viewer)
    beforePiece(api.syncHarness.deps.database, 2, async () => {
      expect((await post('/auth/logout', token)).status).toBeLessThan(300)
      aheadMs += 1_001
    })
    await expectEnded(token, 401)
  })

  it('API key', async () => {
    const made = await post('/api-keys', admin, { name: 'Reader', scopes: ['data:read'] })
    expect(made.status).toBe(201)
    const { id, key } = (await made.json()) as { id: string; key: string }
    beforePiece(api.syncHarness.deps.database, 2, async () => {
      expect((await post(`/api-keys/${id}`, admin, {}, 'DELETE')).status).toBe(204)
      aheadMs += 1_001
    })
    await expectEnded(key, 401)
  })

  it('instance, once that is suspended', async () => {
    const { database } = api.syncHarness.deps
    const token = await sessionOf(api.emails.viewer)
    beforePiece(database, 2, async () => {
      await suspend(api.syncHarness.instanceId)
      aheadMs += 1_001
    })
    await expectEnded(token, 403)
    await database.query('delete from instance_suspensions where instance_id = $1', [api.syncHarness.instanceId])
  })
})

it('another instance stays suspended when a stream has asked who is', async () => {
  const { database } = api.syncHarness.deps
  const email = 'neighbour@example.com'
  const neighbourId = await addInstance(database, 'Neighbour')
  await addUser(database, neighbourId, { email })
  const token = await sessionOf(email)
  await suspend(neighbourId)
  beforePiece(database, 2, async () => {
    aheadMs += 1_001
  })
  expect(await readStream(await open())).toMatchObject({ isWhole: true })
  expect((await post('/auth/me', token, {}, 'GET')).status).toBe(403)
})

async function suspend(instanceId: string): Promise<void> {
  await api.syncHarness.deps.database.query(`insert into instance_suspensions (instance_id, reason) values ($1, 'test')`, [instanceId])
}

async function sessionOf(email: string): Promise<string> {
  const answer = await fetch(`${origin}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: api.password }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** The piece under way is sent, and none after it. */
async function expectEnded(token: string, status: number): Promise<void> {
  const { lines: got, isWhole } = await readStream(await open(token))
  expect([got.length, isWhole, JSON.parse(got.at(-1) ?? '')]).toEqual([1_001, false, { error: expect.objectContaining({ status }) }])
}
