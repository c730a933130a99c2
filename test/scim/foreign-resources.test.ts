import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/api/access/keys/scopes.ts'
import { createApi } from '../../src/api/server.ts'
import type { Role } from '../../src/store/access/users.ts'
import { withoutInstanceFilter } from '../api/without-instance-filter.ts'
import { takeSnapshot } from '../audit/watch.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { GROUP, PATCH, scimHarness, USER } from './harness.ts'

const api = openForTests(scimHarness)
let otherKey = ''
/** Ids of this instance’s resources. */
const foreign = { Users: '', Groups: '' }
/** The service as it is, and one in which every query omits the instance filter, so that only row-level security separates the tenants. */
let apps: Record<'as it is' | 'with forgetful queries', FastifyInstance>
beforeAll(async () => {
  foreign.Users = (await api.user('ours@example.com', { externalId: 'ours' })).id
  foreign.Groups = (await api.group('Ours', [foreign.Users])).id
  const theirs = await bearerOf(api, (await api.addUser({ instanceId: await api.addInstance() })).email)
  otherKey = await api.newKey([...SCOPES], theirs)
  const database = withoutInstanceFilter(api.deps.database)
  apps = {
    'as it is': api.app,
    'with forgetful queries': createApi({ ...api.deps, database, metrics: new Registry(), sync: { ...api.deps.sync, database } }),
  }
})
afterAll(async () => {
  await apps?.['with forgetful queries'].close()
})

const BODIES: Readonly<Record<string, object>> = {
  'PUT Users': { schemas: [USER], userName: 'mine@example.com' },
  'PUT Groups': { schemas: [GROUP], displayName: 'Mine' },
  'PATCH Users': { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] },
  'PATCH Groups': { schemas: [PATCH], Operations: [{ op: 'replace', path: 'displayName', value: 'Mine' }] },
}
const METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'] as const

describe.each(['as it is', 'with forgetful queries'] as const)('a resource of another instance, %s,', (kind) => {
  const ask = async (method: string, url: string, key = otherKey, payload?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(payload ? { 'content-type': 'application/scim+json' } : {}) }
    return await apps[kind].inject({
      method: method as 'GET',
      url: `/scim/v2${url}`,
      headers,
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    })
  }

  it.each(['Users', 'Groups'] as const)('gets the same bytes as a nonexistent one: /%s', async (type) => {
    const before = await takeSnapshot(api.deps.database)
    for (const method of METHODS) {
      const answers = []
      for (const id of [foreign[type], randomUUID(), 'no-uuid'])
        answers.push(await ask(method, `/${type}/${id}`, otherKey, BODIES[`${method} ${type}`]))
      expect(answers.map(({ statusCode, payload }) => [statusCode, payload])).toEqual(Array(3).fill([404, answers[0]?.payload]))
    }
    const after = await takeSnapshot(api.deps.database)
    expect(after.tables.get('users')).toBe(before.tables.get('users'))
    expect([after.tables.get('scim_users'), after.tables.get('scim_groups'), after.entries]).toEqual([
      before.tables.get('scim_users'),
      before.tables.get('scim_groups'),
      before.entries,
    ])
  })

  it('is in no list, and found by no filter', async () => {
    const queries = ['', 'userName eq "ours@example.com"', 'externalId eq "ours"', `id eq "${foreign.Users}"`, 'userName co "ours"']
    for (const query of queries) {
      const { payload, statusCode } = await ask('GET', `/Users${query ? `?filter=${encodeURIComponent(query)}` : ''}`)
      expect([query, statusCode, payload.includes(foreign.Users), payload.includes('ours@example.com","')]).toEqual([
        query,
        200,
        false,
        false,
      ])
    }
    expect((await ask('GET', '/Groups')).json()).toMatchObject({ totalResults: 0 })
  })

  it('cannot be a member of a group', async () => {
    const body = { schemas: [GROUP], displayName: `Theirs ${kind}`, members: [{ value: foreign.Users }] }
    expect((await ask('POST', '/Groups', otherKey, body)).statusCode).toBe(400)
  })
})

describe('the authentication of SCIM', () => {
  const PATHS = ['/Users', '/Groups', '/ServiceProviderConfig', '/ResourceTypes', '/Schemas', `/Users/${randomUUID()}`]
  const status = async (path: string, authorization?: string) => {
    const answer = await api.app.inject({ url: `/scim/v2${path}`, ...(authorization ? { headers: { authorization } } : {}) })
    expect(answer.headers['content-type']).toMatch(/^application\/scim\+json/)
    return answer.statusCode
  }

  it.each(['admin', 'developer', 'integration', 'viewer'] satisfies Role[])('takes no token of a user with the role %s', async (role) => {
    const { authorization } = await bearerOf(api, (await api.addUser({ role })).email)
    for (const path of PATHS) expect([path, await status(path, authorization)]).toEqual([path, 403])
  })

  it('takes keys with the scope scim alone', async () => {
    for (const scope of SCOPES) {
      const key = await api.newKey([scope], await api.adminHeaders())
      expect([scope, await status('/ServiceProviderConfig', `Bearer ${key}`)]).toEqual([scope, scope === 'scim' ? 200 : 403])
    }
  })

  it('takes no key that is missing, cut, invented or revoked', async () => {
    const headers = await api.adminHeaders()
    const made = await api.app.inject({
      method: 'POST',
      url: '/admin/api/v1/api-keys',
      headers,
      payload: { name: 'Gone', scopes: ['scim'] },
    })
    const { id, key } = made.json<{ id: string; key: string }>()
    expect(await status('/Users', `Bearer ${key}`)).toBe(200)
    await api.app.inject({ method: 'DELETE', url: `/admin/api/v1/api-keys/${id}`, headers })
    api.moveClock(1_000)
    for (const text of [undefined, 'Bearer ', 'Basic abc', `Bearer ${key}`, `Bearer ${api.key.slice(0, -1)}`, `Bearer ${api.key}x`])
      expect([text, await status('/Users', text)]).toEqual([text, 401])
  })

  it('says what it does not do', async () => {
    const bulk = await api.scim('POST', '/Bulk', { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: [] })
    expect([bulk.status, bulk.body]).toEqual([
      501,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '501',
        detail: 'Bulk operations are not supported: send one request for each change.',
      },
    ])
    expect((await api.scim('GET', '/ServiceProviderConfig')).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
    })
    expect((await api.scim('POST', '/.search', {})).status).toBe(501)
    expect((await api.scim('GET', '/Me')).status).toBe(501)
    expect((await api.scim('GET', '/Schemas?filter=id%20pr')).status).toBe(403)
    const [unknown, method] = [await api.scim('GET', '/Devices'), await api.scim('DELETE', '/Users')]
    expect([unknown.status, unknown.body.status, method.status, method.headers.allow]).toEqual([404, '404', 405, 'GET, HEAD, POST'])
  })

  it.each([
    ['no JSON', '{', 400, 'invalidSyntax'],
    ['no object', '[]', 400, 'invalidSyntax'],
    ['nothing', '', 400, 'invalidSyntax'],
    ['a name twice', '{"userName":"a","userName":"b"}', 400, 'invalidSyntax'],
    ['a name twice in other capitals', JSON.stringify({ schemas: [USER], userName: 'a@b.c', USERNAME: 'b@b.c' }), 400, 'invalidSyntax'],
    ['a poisoned name', '{"__proto__":{"role":"admin"}}', 400, 'invalidSyntax'],
    ['no schemas', JSON.stringify({ userName: 'a@example.com' }), 400, 'invalidSyntax'],
    ['wrong schemas', JSON.stringify({ schemas: [GROUP], userName: 'a@example.com' }), 400, 'invalidSyntax'],
    ['no user name', JSON.stringify({ schemas: [USER] }), 400, 'invalidValue'],
    ['a null user name', JSON.stringify({ schemas: [USER], userName: null }), 400, 'invalidValue'],
    ['no address', JSON.stringify({ schemas: [USER], userName: 'ann' }), 400, 'invalidValue'],
    ['an address that is none', JSON.stringify({ schemas: [USER], userName: 'ann', emails: [{ value: 'ann@' }] }), 400, 'invalidValue'],
    [
      'two primary addresses',
      JSON.stringify({ schemas: [USER], userName: 'a', emails: ['b@c.d', 'e@f.g'].map((value) => ({ value, primary: true })) }),
      400,
      'invalidValue',
    ],
    [
      'a lone surrogate',
      '{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"\\ud800@example.com"}',
      400,
      'invalidValue',
    ],
    ['a long name', JSON.stringify({ schemas: [USER], userName: `${'x'.repeat(400)}@example.com` }), 400, 'invalidValue'],
    [
      'thousands of attributes',
      JSON.stringify({ schemas: [USER], ...Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`a${i}`, i])) }),
      400,
      'invalidSyntax',
    ],
    [
      'eleven addresses',
      JSON.stringify({ schemas: [USER], userName: 'a@b.c', emails: Array.from({ length: 11 }, (_, i) => ({ value: `x${i}@b.c` })) }),
      400,
      'invalidValue',
    ],
    ['depth', `${'['.repeat(100)}${']'.repeat(100)}`, 400, 'invalidSyntax'],
  ])('refuses a user of %s, and adds nothing', async (_what, body, expected, scimType) => {
    const before = (await api.scim('GET', '/Users?count=0')).body.totalResults
    const refused = await api.scim('POST', '/Users', body)
    expect([refused.status, refused.body.scimType, refused.body.detail?.length]).toEqual([expected, scimType, expect.any(Number)])
    expect((await api.scim('GET', '/Users?count=0')).body.totalResults).toBe(before)
  })

  it.each([
    ['filter=shoeSize%20eq%20%221%22', 'invalidFilter'],
    ['filter=userName%20eq', 'invalidFilter'],
    ['filter=active%20co%20true', 'invalidFilter'],
    ['filter=userName%20gt%205', 'invalidFilter'],
    ['filter=meta.created%20gt%20%22yesterday%22', 'invalidFilter'],
    ['filter=emails%5Btype%20eq%20%22work%22%5D', 'invalidFilter'],
    ['filter=a%20pr&filter=b%20pr', 'invalidFilter'],
    ['startIndex=x', 'invalidValue'],
    ['attributes=userName&excludedAttributes=name', 'invalidValue'],
  ])('refuses the query %s', async (query, scimType) => {
    const { status, body } = await api.scim('GET', `/Users?${query}`)
    expect([status, body.scimType]).toEqual([400, scimType])
  })

  it.each(['ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])('refuses to look for members by %s', async (operator) => {
    for (const attribute of ['members', 'members.value']) {
      const filter = encodeURIComponent(`${attribute} ${operator} "${foreign.Users}"`)
      const { status, body } = await api.scim('GET', `/Groups?filter=${filter}`)
      expect([status, body.scimType, body.detail]).toEqual([400, 'invalidFilter', `${attribute} is looked for by eq and pr only.`])
    }
  })

  it('takes wild page numbers as the RFC says, and ignores what it does not know', async () => {
    const page = async (query: string) => (await api.scim('GET', `/Users?${query}`)).body
    expect(await page('startIndex=-5&count=1')).toMatchObject({ startIndex: 1, itemsPerPage: 1 })
    expect(await page('startIndex=999999999999&count=-1')).toMatchObject({ itemsPerPage: 0 })
    expect(await page('sortBy=userName&sortOrder=descending&unknown=1')).toMatchObject({ startIndex: 1 })
    expect((await page('attributes=userName,emails.value&filter=userName%20eq%20%22boss@example.com%22')).Resources[0]).toEqual({
      schemas: [USER],
      id: api.admin.id,
      userName: 'boss@example.com',
      emails: [{ value: 'boss@example.com' }],
      meta: expect.any(Object),
    })
    const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: 'userName sw "OURS"', count: 5 }
    expect((await api.scim('POST', '/Users/.search', search)).body).toMatchObject({ totalResults: 1, Resources: [{ id: foreign.Users }] })
  })
})
