import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { xero } from '../../src/connectors/xero/index.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { dumpRows } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import type { DocumentedOperation } from '../harness/test-answers.ts'
import { bearerOf, PASSWORD } from '../harness/test-api.ts'
import { OPERATOR_PASSWORD, operatorHarness } from '../operator/harness.ts'
import { type Filling, type InputSchema, Inputs } from './inputs.ts'
import { listShown, recordSpans } from './searches.ts'

const UNLIMITED = {
  login: { perAccount: 100_000, perNetwork: 100_000, perMinute: 100_000, windowSeconds: 900, codeDriftSteps: 1 },
  requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 },
}
const DOCUMENTS = ['/admin/api/openapi.json', '/admin/api/administration.json', '/operator/api/openapi.json']
/** Would end the session that asks. */
const ENDS_SESSION = /^(logOut|logout|signOut)/i
/** What a session is changed by is called last. */
const LAST = /\/auth\/password$|\/identity-provider$|\/instances\/\{\w+\}\/(erase|suspend)$/
/** Names of what an answer gives out once. */
const GIVEN = /^(access_token|token|refreshToken|key|secret|recoveryCodes|clientSecret)$/
/** Operations that store or check a secret, and those that give out what is stored. */
const TAKEN = [
  'createUser',
  'changePassword',
  'resetPassword',
  'login',
  'createExportDestination',
  'createSubscription',
  'createApiKey',
  'rotateApiKey',
  'rotateSubscriptionSecret',
  'beginTwoStep',
  'addInstance',
  'addOperator',
  'redeemOperatorLink',
  'signInOperator',
  'listAudit',
  'downloadAudit',
  'listEvents',
  'listDeploymentAudit',
  'exportInstance',
  'requestExport',
]
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, InputSchema>; parameters?: Record<string, { name: string }> }
}
interface Called {
  method: string
  path: string
  operation: DocumentedOperation
}

const api = openForTests(() => operatorHarness(UNLIMITED, [xero]))
const spans = openForTests(recordSpans, (spans) => spans.stop())
let inputs: Inputs
let operations: Called[] = []
/** Parameters that operations share, by their name in a document. */
let shared: Record<string, { name: string }>
const ids: Record<string, string> = { serviceId: toServiceId('xero'), sourceKey: 'xero', eventNameOrSubscriptionId: 'RawData', key: 'xero' }
const answers: { label: string; text: string }[] = []
const succeeded = new Set<string>()
/** Secrets that answers gave out. */
const given = new Set<string>()
let headers: { user: Record<string, string>; operator: Record<string, string> }
let found: { rows: string; logged: string; spans: string }

beforeAll(async () => {
  const documents = await Promise.all(DOCUMENTS.map(async (url) => (await api.app.inject({ url })).json<Document>()))
  inputs = new Inputs(Object.assign({}, ...documents.map(({ components }) => components.schemas)))
  shared = Object.assign({}, ...documents.map(({ components }) => components.parameters ?? {}))
  operations = documents
    .flatMap(({ paths }) => Object.entries(paths))
    .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })))
    .filter(({ operation }) => operation.operationId !== undefined && !ENDS_SESSION.test(operation.operationId))
    .sort((one, other) => Number(LAST.test(one.path)) - Number(LAST.test(other.path)))
  const { email } = await api.addUser()
  const operator = await api.signIn()
  for (const value of [operator.token, operator.secret, ...operator.recoveryCodes]) given.add(value)
  headers = { user: await bearerOf(api, email), operator: { authorization: `Bearer ${operator.token}` } }
  for (const wanted of ['POST', 'PUT', 'PATCH'])
    for (const call of operations.filter(({ method }) => method === wanted)) await sendBodies(call)
  await beginWithLinks()
  await sendElsewhere()
  await provision()
  for (const call of operations.filter(({ method }) => method === 'GET'))
    await send(call, { label: `${call.operation.operationId} afterwards` })
  found = { rows: await dumpRows(api.deps.database), logged: api.logged.join('\n'), spans: spans.said.join('\n') }
}, 300_000)

interface Sent {
  label: string
  payload?: string
  query?: string
  more?: Record<string, string>
  ids?: Record<string, string>
}

async function send({ method, path, operation }: Called, { label, payload, query = '', more = {}, ids: own = ids }: Sent): Promise<void> {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(own[name] ?? randomUUID()))
  const answer = await api.app.inject({
    method: method as 'GET',
    url: `${url}${query}`,
    remoteAddress: '203.0.113.9',
    headers: {
      ...(path.startsWith('/operator') ? headers.operator : headers.user),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(payload === undefined ? {} : { payload }),
  })
  const isPacked = answer.rawPayload.subarray(0, 2).toString('hex') === '1f8b'
  answers.push({ label, text: isPacked ? gunzipSync(answer.rawPayload).toString() : answer.payload })
  if (answer.statusCode >= 300) return
  succeeded.add(operation.operationId)
  if (!/json/.test(String(answer.headers['content-type']))) return
  const body = answer.json<Record<string, unknown>>()
  collectGiven(body)
  // The id of what was made, for the paths below it.
  const child = operations.find(
    ({ path: below }) => below.startsWith(`${path}/{`) || (path.endsWith('/company') && below.endsWith('/companies/{companyId}')),
  )
  const parameter = /\{(\w+)\}$/.exec(child?.path ?? '')?.[1]
  const id = body.id ?? (body.instance as Record<string, unknown> | undefined)?.id
  if (method !== 'POST' || typeof id !== 'string') return
  if (parameter !== undefined) ids[parameter] = id
  if (operation.operationId === 'createSubscription') ids.subscriptionId = id
}

function collectGiven(value: unknown, name = ''): void {
  if (typeof value === 'string' && value.length >= 16 && GIVEN.test(name)) given.add(value)
  else if (typeof value === 'string' && /#[\w-]{20,}$/.test(value)) given.add(value.slice(value.indexOf('#') + 1))
  else if (Array.isArray(value)) for (const each of value) collectGiven(each, name)
  else if (typeof value === 'object' && value !== null) for (const [key, each] of Object.entries(value)) collectGiven(each, key)
}

/** Every alternative of the body with canaries, then bodies that are none. */
async function sendBodies(call: Called): Promise<void> {
  const { operationId: id, requestBody } = call.operation
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema
  if (schema === undefined) return await send(call, { label: id })
  const password = call.path.startsWith('/operator') ? OPERATOR_PASSWORD : PASSWORD
  const fillings: Filling[] = (['all', 'secrets', 'own'] as const).flatMap((reach) =>
    [0, 1, 2, 3].map((choice) => ({ reach, choice, password })),
  )
  for (const filling of fillings)
    await send(call, { label: `${id} with ${filling.reach}`, payload: JSON.stringify(inputs.sample(schema, `${id}:body`, filling)) })
  const cut = () => inputs.canary(`${id}: malformed`)
  const wrong = Object.keys(Object(inputs.sample(schema, `${id}: names`, { reach: 'secrets', choice: 0, password })))
  const bodies = [
    `{"password":"${cut()}`,
    `"${cut()}"`,
    JSON.stringify(Object.fromEntries(wrong.map((name) => [name, [cut()]]))),
    JSON.stringify(Object.fromEntries(wrong.map((name) => [name, { password: cut() }]))),
    JSON.stringify({ unknown: cut() }),
    `password=${cut()}`,
  ]
  for (const payload of bodies) await send(call, { label: `${id} malformed`, payload })
}

/** One-time links of a member and of an operator, each with a password that is a canary, and a sign-in with it. */
async function beginWithLinks(): Promise<void> {
  const call = (wanted: string) => operations.find(({ operation }) => operation.operationId === wanted)
  const post = async (id: string, body: object) => {
    const found = call(id)
    if (found) await send(found, { label: id, payload: JSON.stringify(body), more: { authorization: '' } })
  }
  const email = `${randomUUID()}@example.com`
  const admin = { email, name: 'Avery' }
  const made = await api.ask<{ link: { address: string } }>('POST', '/instances', headers.operator.authorization?.slice(7) ?? '', {
    name: 'Birch',
    kind: 'live',
    admin,
  })
  const password = inputs.canary('resetPassword:body.password')
  const token = new URL(made.body.link.address).hash.slice(1)
  const link = await api.link('second@example.com')
  for (const each of [token, link]) given.add(each)
  await post('resetPassword', { token, password })
  await post('login', { email, password })
  await post('redeemOperatorLink', { token: link, password })
  await post('signInOperator', { email: 'second@example.com', password })
}

/** In paths, queries and headers, where nothing secret belongs, and where tokens are. */
async function sendElsewhere(): Promise<void> {
  for (const call of operations) {
    const { operationId: id, parameters = [] } = call.operation
    const at = (place: string) => inputs.canary(`${id}: ${place}`)
    const payload = call.method === 'GET' || call.method === 'DELETE' ? {} : { payload: '{}' }
    const names = [...parameters.map(nameOfParameter), 'access_token']
    for (const name of names)
      await send(call, { label: `${id} ?${name}`, query: `?${encodeURIComponent(name)}=${at(`?${name}`)}`, ...payload })
    for (const name of ['authorization', 'cookie', 'idempotency-key', 'if-match', 'x-forwarded-for', 'referer', 'user-agent']) {
      const value = at(name)
      const spelled =
        { authorization: `Bearer ${value}`, cookie: `__Host-session=${value}; refresh=${value}`, 'if-match': `"${value}"` }[name] ?? value
      await send(call, { label: `${id} ${name}`, more: { [name]: spelled }, ids: {}, ...payload })
    }
    if (call.path.includes('{')) {
      const everywhere = new Proxy<Record<string, string>>({}, { get: () => at('path') })
      await send(call, { label: `${id} path`, ids: everywhere, ...payload })
    }
  }
}

function nameOfParameter(parameter: { name: string } | { $ref: string }): string {
  return '$ref' in parameter ? (shared[parameter.$ref.split('/').at(-1) ?? '']?.name ?? '') : parameter.name
}

/** By the identity provider, whose messages no document of ours describes. */
async function provision(): Promise<void> {
  const made = await api.app.inject({
    method: 'POST',
    url: '/admin/api/v1/api-keys',
    headers: headers.user,
    payload: { name: 'IdP', scopes: ['scim'] },
  })
  const { key } = made.json<{ key: string }>()
  given.add(key)
  const secret = () => inputs.canary('scim: password')
  const scim = async (method: 'POST' | 'PUT' | 'PATCH' | 'GET', url: string, body?: object) => {
    const answer = await api.app.inject({
      method,
      url: `/scim/v2${url}`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    answers.push({ label: `scim ${method}`, text: answer.payload })
    return answer
  }
  const user = () => ({ schemas: [USER], userName: `${randomUUID()}@example.com`, password: secret(), [secret()]: secret() })
  const created = await scim('POST', '/Users', { ...user() })
  const id = created.json<{ id?: string }>().id ?? randomUUID()
  await scim('PUT', `/Users/${id}`, user())
  for (const Operations of [
    [{ op: 'replace', path: 'password', value: secret() }],
    [{ op: 'add', value: { password: secret() } }],
    [{ op: 'replace', path: 'unknown', value: secret() }],
  ])
    await scim('PATCH', `/Users/${id}`, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })
  await scim('GET', `/Users?filter=${encodeURIComponent(`password eq "${secret()}"`)}`)
  expect(created.statusCode).toBe(201)
}

const secrets = () => inputs.canaries.filter(({ isSecret, at }) => isSecret && /:body|scim/.test(at))
const OWN = [PASSWORD, OPERATOR_PASSWORD].map((value) => ({ value, at: 'a password', isSecret: true }))

describe('canaries in every input of the API, of operators and of SCIM', () => {
  it('reach what is stored: these operations took them', () => {
    expect(inputs.canaries.length).toBeGreaterThan(2_000)
    expect(given.size).toBeGreaterThan(10)
    expect(TAKEN.filter((id) => !succeeded.has(id))).toEqual([])
  })

  it('of secrets are in no row of any table', () => {
    expect(found.rows).toContain(api.instanceId)
    const stored = [...given].map((value) => ({ value, at: `given ${value.slice(0, 8)}`, isSecret: true }))
    expect(listShown(found.rows, [...secrets(), ...OWN, ...stored])).toEqual([])
  })

  it('are in no line of the log, whatever they are', () => {
    expect(found.logged).toContain('"route"')
    const stored = [...given].map((value) => ({ value, at: `given ${value.slice(0, 8)}`, isSecret: true }))
    expect(listShown(found.logged, [...inputs.canaries, ...OWN, ...stored])).toEqual([])
  })

  it('are in no span', () => {
    expect(found.spans).toContain('http.route')
    expect(listShown(found.spans, [...inputs.canaries, ...OWN])).toEqual([])
  })

  it('of secrets are in no answer: errors, lists, events, audit, exports', () => {
    const all = [...secrets(), ...OWN]
    expect(
      answers.flatMap(({ label, text }) =>
        text.includes('canary') || OWN.some(({ value }) => text.includes(value))
          ? listShown(text, all).map((at) => `${label} shows ${at}`)
          : [],
      ),
    ).toEqual([])
  })
})
