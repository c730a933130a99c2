import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertPasskey } from '../../src/store/access/passkeys.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { openForTests } from '../harness/for-tests.ts'
import { operatorHarness } from './harness.ts'

const STALE = '"not-what-it-is"'

const api = openForTests(() => operatorHarness({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
let token = ''
let made = 0
let operations: { method: string; path: string; id: string; headers: string[] }[]
beforeAll(async () => {
  token = (await api.signIn()).token
  operations = await listOperations()
})

interface Document {
  paths: Record<string, Record<string, { operationId: string; security?: unknown[]; parameters?: { $ref?: string; name?: string }[] }>>
}

async function listOperations() {
  const { paths } = (await api.app.inject({ url: '/operator/api/openapi.json' })).json<Document>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: id, security, parameters = [] }]) => {
      const headers = parameters.map(({ name, $ref = '' }) => name ?? $ref.slice($ref.lastIndexOf('/') + 1))
      return id === undefined || security?.length === 0 ? [] : [{ method: method.toUpperCase(), path, id, headers }]
    }),
  )
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

async function send(method: Method, path: string, headers: Record<string, string>, body?: object, bearer = token) {
  const url = `/operator/api/v1${path}`
  const given = { authorization: `Bearer ${bearer}`, ...headers }
  return await api.app.inject({ method, url, headers: given, ...(body === undefined ? {} : { payload: body }) })
}

const newInstance = () => {
  made += 1
  return { name: `Instance ${made}`, kind: 'test', admin: { email: `admin${made}@example.com`, name: 'Avery Tremblay' } }
}
const count = async (table: 'instances' | 'operators' | 'users') => {
  const { rows } = await api.deps.database.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  return rows[0]?.count ?? 0
}
async function instance(): Promise<string> {
  return `/instances/${(await send('POST', '/instances', {}, newInstance())).json<{ instance: { id: string } }>().instance.id}`
}
async function operator(): Promise<string> {
  made += 1
  const answer = await send('POST', '/operators', {}, { email: `ops${made}@example.com`, name: 'Sam Roy' })
  return `/operators/${answer.json<{ operator: { id: string } }>().operator.id}`
}
async function passkey(): Promise<string> {
  const { operatorId } = (await send('GET', '/session', {})).json<{ operatorId: string }>()
  const id = randomUUID()
  const added = { id, name: 'Key', credentialId: randomBytes(32), publicKey: randomBytes(77), signCount: 0, transports: [] }
  await insertPasskey(api.deps.database, { kind: 'operator', instanceId: SYSTEM_INSTANCE_ID, id: operatorId }, added, api.deps.now())
  return `/sign-in/passkeys/${id}`
}

interface Change {
  method: Method
  path: string
  /** Path of the GET with the ETag. */
  etagOf: string
  body?: object
  bearer?: string
}

const same = (method: Method, path: string, body?: object): Change => ({ method, path, etagOf: path, ...(body ? { body } : {}) })
const below = (etagOf: string, action: string, body?: object): Change => ({ ...same('POST', `${etagOf}/${action}`, body), etagOf })

/** Everything that operators can change, and what they do with an instance, by operation id. */
const CHANGES: Record<string, () => Promise<Change>> = {
  renameInstance: async () => same('PUT', await instance(), { name: 'Renamed' }),
  setInstanceQuotas: async () => same('PUT', `${await instance()}/quotas`, { companies: 7 }),
  removeOperator: async () => same('DELETE', await operator()),
  removeOperatorPasskey: async () => same('DELETE', await passkey()),
  renameOperatorPasskey: async () => same('PUT', await passkey(), { name: 'Spare key' }),
  signOutOperator: async () => ({ ...same('DELETE', '/session'), bearer: (await api.signIn('leaving@example.com')).token }),
  suspendInstance: async () => below(await instance(), 'suspend', { reason: 'Unpaid' }),
  eraseInstance: async () => below(await instance(), 'erase', { name: `Instance ${made}` }),
  renewOperatorLink: async () => below(await operator(), 'link', {}),
}

describe('If-Match', () => {
  it('is tried at all PUT, PATCH and DELETE operations of operators', () => {
    const ids = operations.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method)).map(({ id }) => id)
    expect(ids.filter((id) => !(id in CHANGES))).toEqual([])
    expect(ids.length).toBeGreaterThan(4)
  })

  it.each(Object.keys(CHANGES))(
    '%s is refused with 412 for another ETag and changes nothing; with the current one it works',
    async (id) => {
      const change = await CHANGES[id]?.()
      if (!change) throw new Error('unknown change')
      const { method, path, etagOf, body, bearer } = change
      const etagAt = async () => (await send('GET', etagOf, {}, undefined, bearer)).headers.etag
      const before = String(await etagAt())
      expect(before).toMatch(/^"[\w-]{27}"$/)
      for (const wrong of [STALE, `W/${before}`])
        expect([wrong, (await send(method, path, { 'if-match': wrong }, body, bearer)).statusCode]).toEqual([wrong, 412])
      expect(await etagAt()).toBe(before)
      const done = await send(method, path, { 'if-match': `${STALE}, ${before}` }, body, bearer)
      expect(done.statusCode).toBeOneOf([200, 201, 202, 204])
    },
  )

  it('lets one of two changes with the same ETag through', async () => {
    const path = await instance()
    const ifMatch = { 'if-match': String((await send('GET', path, {})).headers.etag) }
    const answers = await Promise.all(['One', 'Two', 'Three', 'Four'].map((name) => send('PUT', path, ifMatch, { name })))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 412, 412, 412])
  })

  it('is never ignored where there is nothing to compare', async () => {
    const before = await count('instances')
    expect((await send('POST', '/instances', { 'if-match': '*' }, newInstance())).statusCode).toBe(412)
    expect(await count('instances')).toBe(before)
  })
})

describe('an Idempotency-Key of an operator', () => {
  const withKey = (key: string = randomUUID()) => ({ 'idempotency-key': key })

  it('makes a repeated request one, with the same status, bytes and link', async () => {
    const [headers, body, before] = [withKey(), newInstance(), await count('instances')]
    const [first, second] = [await send('POST', '/instances', headers, body), await send('POST', '/instances', headers, body)]
    expect([first.statusCode, second.statusCode, second.payload, await count('instances')]).toEqual([201, 201, first.payload, before + 1])
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
  })

  it('makes concurrent requests one', async () => {
    const [headers, body, before] = [withKey(), newInstance(), await count('instances')]
    const answers = await Promise.all(Array.from({ length: 12 }, () => send('POST', '/instances', headers, body)))
    expect(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409)).toBe(true)
    expect([answers.some(({ statusCode }) => statusCode === 201), await count('instances')]).toEqual([true, before + 1])
  })

  it('is refused with another body or address, and changes nothing', async () => {
    const [headers, before] = [withKey(), await count('instances')]
    const path = await instance()
    await send('POST', `${path}/suspend`, headers, { reason: 'Unpaid' })
    const answers = [await send('POST', '/instances', headers, newInstance()), await send('POST', `${path}/resume`, headers)]
    expect([answers.map(({ statusCode }) => statusCode), await count('instances')]).toEqual([[422, 422], before + 1])
  })

  it('lets an action be repeated that would be refused the second time', async () => {
    const [headers, path] = [withKey(), await instance()]
    const twice = async () => (await send('POST', `${path}/suspend`, headers, { reason: 'Unpaid' })).statusCode
    expect([await twice(), await twice()]).toEqual([200, 200])
  })

  it('belongs to one operator', async () => {
    const { token: other } = await api.signIn('other@example.com')
    const [headers, path] = [withKey(), await instance()]
    const suspend = async (bearer: string) => (await send('POST', `${path}/suspend`, headers, { reason: 'Unpaid' }, bearer)).statusCode
    expect([await suspend(token), await suspend(other)]).toEqual([200, 409])
  })

  it('stores no answer in clear text', async () => {
    const { link } = (await send('POST', '/instances', withKey(), newInstance())).json<{ link: { address: string } }>()
    const secret = new URL(link.address).hash.slice(1)
    const { rows } = await api.deps.database.query<{ found: boolean }>(
      `select position($1::bytea in sealed) > 0 or t::text like '%' || $2 || '%' as found from idempotency_keys t where status is not null`,
      [Buffer.from(secret), secret],
    )
    expect([rows.length > 0, rows.some(({ found }) => found), secret.length > 20]).toEqual([true, false, true])
  })

  it.each([
    ['/instances', 'instance', () => newInstance()],
    ['/operators', 'operator', () => ({ email: `lost${randomUUID()}@example.com`, name: 'Lost' })],
  ] as const)('finds what was made at %s before the answer was lost, with another link', async (path, what, body) => {
    const [headers, given] = [withKey(), body()]
    type Made = Record<string, { id: string; address: string }>
    const first = await send('POST', path, headers, given)
    await api.deps.database.query(
      `update idempotency_keys set status = null, sealed = null, leased_until = clock_timestamp()
       where id = (select id from idempotency_keys order by created_at desc limit 1)`,
    )
    const before = [await count('instances'), await count('operators'), await count('users')]
    const again = await send('POST', path, headers, given)
    const [one, two] = [first.json<Made>(), again.json<Made>()]
    expect([again.statusCode, two[what]?.id]).toEqual([201, one[what]?.id])
    expect(two.link?.address).not.toBe(one.link?.address)
    expect([await count('instances'), await count('operators'), await count('users')]).toEqual(before)
  })

  it('is refused when it is no key, and tells nobody else anything', async () => {
    expect((await send('POST', '/instances', withKey('a b'), newInstance())).statusCode).toBe(400)
    const [headers, body] = [withKey(), newInstance()]
    await send('POST', '/instances', headers, body)
    expect((await send('POST', '/instances', headers, body, 'garbage')).statusCode).toBe(401)
  })

  it('is documented at every POST of a session, as If-Match is at every change', () => {
    const lacking = operations.filter(
      ({ method, headers }) =>
        (method === 'POST' && !headers.some((name) => /^Idempotency-?Key$/i.test(name))) ||
        (method !== 'GET' && !headers.some((name) => /^If-?Match$/i.test(name))),
    )
    expect(lacking).toEqual([])
  })
})
