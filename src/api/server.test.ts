import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { bearerOf, logInAt, testApi } from '../../test/harness/test-api.ts'

const PROTECTION = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

describe('the server', () => {
  const api = openForTests(testApi)
  let admin: { authorization: string }
  let viewer: { headers: { authorization: string } }
  beforeAll(async () => {
    const user = await api.addUser()
    admin = await bearerOf(api, user.email)
    viewer = { headers: await bearerOf(api, (await api.addUser({ role: 'viewer', instanceId: await api.addInstance() })).email) }
  })

  it('says what is wrong as problem details that also carry Code and Message', async () => {
    const response = await api.app.inject({ url: '/admin/api/v1/users?PageSize=5', headers: admin })
    expect(response.headers['content-type']).toContain('application/problem+json')
    expect(response.json()).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The request has invalid values.',
      Code: 400,
      Message: 'The request has invalid values.',
      requestId: response.headers['x-request-id'],
      errors: [{ field: 'PageSize', message: 'must be >= 10' }],
    })
  })

  it.each([
    ['a parameter that is not known', '/admin/api/v1/users?page=1', 'page'],
    ['a parameter given twice', '/admin/api/v1/users?PageSize=10&PageSize=20', 'PageSize'],
    ['a parameter given twice in two letter cases', '/admin/api/v1/users?pagesize=10&PageSize=20', 'PageSize'],
    ['a page number beyond 9999', '/admin/api/v1/users?PageNumber=10000', 'PageNumber'],
    ['a fraction where a whole number belongs', '/admin/api/v1/users?PageNumber=1.5', 'PageNumber'],
    ['an empty number', '/admin/api/v1/users?PageNumber=', 'PageNumber'],
    ['an order by two properties', '/admin/api/v1/users?OrderBy=name,email', 'OrderBy'],
    ['an order by an unknown property', '/admin/api/v1/users?OrderBy=passwordHash', 'OrderBy'],
    ['a filter that cannot be read', '/admin/api/v1/users?FilterQuery=name', 'FilterQuery'],
    ['a filter that is too long', `/admin/api/v1/users?FilterQuery=name%3D${'x'.repeat(2048)}`, 'FilterQuery'],
    ['an id that is no UUID', '/admin/api/v1/users/123', 'userId'],
    ['an id as a URN', '/admin/api/v1/users/urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'userId'],
    ['a parameter where none is taken', '/admin/api/v1/auth/me?x=1', 'x'],
  ])('refuses %s and names it', async (_what, url, field) => {
    const response = await api.app.inject({ url, headers: admin })
    expect([response.statusCode, response.json<{ errors?: { field: string }[] }>().errors?.map((error) => error.field)]).toEqual([
      400,
      [field],
    ])
  })

  it.each([['PAGESIZE=10&pagenumber=1'], ['Pagesize=10&DESC=TRUE'], ['orderby=email&desc=false&filterQuery=name~avery']])(
    'takes parameter names in any letter case: %s',
    async (query) => {
      const response = await api.app.inject({ url: `/admin/api/v1/users?${query}`, headers: admin })
      expect(response.statusCode).toBe(200)
    },
  )

  it('answers HEAD like GET, without a body', async () => {
    const response = await api.app.inject({ method: 'HEAD', url: '/admin/api/v1/users?PageSize=10', headers: admin })
    expect([response.statusCode, response.body, response.headers['x-total-count']]).toEqual([200, '', '1'])
  })

  it.each([
    ['DELETE', '/admin/api/v1/auth/login', 405, 'POST, OPTIONS'],
    ['OPTIONS', '/admin/api/v1/users', 204, 'GET, HEAD, POST, OPTIONS'],
    ['TRACE', '/admin/api/v1/users', 405, 'GET, HEAD, POST, OPTIONS'],
    ['GET', '/admin/api/v1/nothing', 404, undefined],
    ['OPTIONS', '/nothing', 404, undefined],
  ] as const)('%s %s is %i', async (method, url, status, allow) => {
    const response = await api.app.inject({ method: method as 'GET', url })
    expect([response.statusCode, response.headers.allow]).toEqual([status, allow])
  })

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=utf-8', 401],
    ['APPLICATION/JSON', 401],
    ['application/json\t', 401],
    ['application/jsonx', 415],
    ['application/problem+json', 415],
  ])('takes a body of %j only as JSON', async (contentType, status) => {
    const payload = JSON.stringify({ email: 'nobody@example.com', password: 'x' })
    const response = await api.app.inject({
      method: 'POST',
      url: '/admin/api/v1/auth/login',
      headers: { 'content-type': contentType },
      payload,
    })
    expect(response.statusCode).toBe(status)
  })

  it.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['text that is no JSON', '{"email":'],
    ['a number where text belongs', '{"email":1,"password":"x"}'],
    ['a property too many', '{"email":"a@b.ca","password":"x","instanceId":"y"}'],
    ['a property given twice', '{"email":"a@b.ca","password":"x","password":"y"}'],
    ['a property given twice in disguise', '{"email":"a@b.ca","password":"x","p\\u0061ssword":"y"}'],
    ['a poisoned name', '{"email":"a@b.ca","password":"x","__proto__":{"role":"admin"}}'],
    ['a poisoned name in disguise', '{"email":"a@b.ca","password":"x","__pr\\u006fto__":{}}'],
    ['a character that the database cannot keep', '{"email":"a\\u0000@b.ca","password":"x"}'],
    ['nesting without end', `{"email":"a@b.ca","password":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['an array', '[]'],
    ['null', 'null'],
  ])('refuses a login with %s', async (_what, payload) => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/admin/api/v1/auth/login',
      headers: { 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(response.statusCode).toBe(400)
  })

  it('refuses a body that is too large', async () => {
    const response = await logInAt(api.app, 'a@b.ca', 'x'.repeat(9_000))
    expect([response.statusCode, response.json<{ Code: number }>().Code]).toEqual([413, 413])
  })

  it('refuses a path that cannot be read', async () => {
    const response = await api.app.inject({ url: '/admin/api/v1/users/%E0%A4%A' })
    expect([response.statusCode, response.headers['content-type']]).toEqual([400, 'application/problem+json; charset=utf-8'])
  })

  it('tells no stack and no detail of a failure, and logs it with the request id', async () => {
    const failing = await testApi()
    await failing.deps.database.query('drop table sessions cascade')
    const { email } = await failing.addUser()
    const response = await logInAt(failing.app, email)
    await failing.close()
    const { Message, requestId } = response.json<{ Message: string; requestId: string }>()
    expect([response.statusCode, Message]).toEqual([500, 'Something went wrong.'])
    expect(failing.logged.some((line) => line.includes(requestId) && line.includes('sessions'))).toBe(true)
  })

  it.each([
    ['an unreadable token', '/admin/api/v1/auth/me', () => ({ authorization: 'Bearer forged' }), 401, false],
    ['a role that is not enough', '/admin/api/v1/users', () => viewer.headers, 403, true],
    ['an id of nobody', '/admin/api/v1/users/3f2504e0-4f89-41d3-9a0c-0305e82c3301', () => admin, 404, true],
    ['an invalid value', '/admin/api/v1/users?PageSize=5', () => admin, 400, true],
  ])('logs a request that is refused for %s, with who made it where that is known', async (_what, url, headers, status, isKnown) => {
    const { headers: answered, statusCode } = await api.app.inject({ url, headers: headers() })
    const line = api.logged.findLast((each) => each.includes(String(answered['x-request-id'])))
    const by = isKnown ? { instanceId: expect.any(String), userId: expect.any(String) } : {}
    expect([statusCode, JSON.parse(line ?? '{}')]).toEqual([status, expect.objectContaining({ status, method: 'GET', ...by })])
  })

  it('keeps passwords, tokens and addresses out of its log', async () => {
    const text = api.logged.join('')
    expect(text).toContain('/admin/api/v1/auth/login')
    expect(text).not.toMatch(/violet-harbour|eyJ|example\.com|FilterQuery/)
  })

  it('sets the headers of an answer that is data', async () => {
    const { headers } = await api.app.inject({ url: '/admin/api/v1/auth/me', headers: admin })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      ...PROTECTION,
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  it.each(['/nothing-here', '/admin/api/v1/nothing-here', '/healthz', '/', '/admin/api/v1/auth/%E0%A4%A', '/metrics', '/hooks/nothing'])(
    'protects every other answer too: %s',
    async (url) => {
      const secure = await testApi({ issuer: 'https://books.example.com', publicUrl: 'https://books.example.com' })
      const { headers } = await secure.app.inject({ url })
      await secure.close()
      expect(headers).toMatchObject({ ...PROTECTION, 'strict-transport-security': 'max-age=63072000; includeSubDomains' })
    },
  )

  it('counts requests of a session and says so', async () => {
    const limited = await testApi({ requestLimits: { perSession: 2, perInstance: 0, perNetwork: 0 } })
    const { email } = await limited.addUser()
    const headers = await bearerOf(limited, email)
    const ask = () => limited.app.inject({ url: '/admin/api/v1/auth/me', headers })
    const answers = [await ask(), await ask(), await ask()]
    limited.moveClock(60_000)
    answers.push(await ask())
    await limited.close()
    expect(
      answers.map(({ statusCode, headers: { 'ratelimit-remaining': left, 'retry-after': wait } }) => [statusCode, left, wait]),
    ).toEqual([
      [200, '1', undefined],
      [200, '0', undefined],
      [429, '0', '60'],
      [200, '1', undefined],
    ])
  })
})
