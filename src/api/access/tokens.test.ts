import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { exportJWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { bearerOf, logInAt, testApi } from '../../../test/harness/test-api.ts'

type Json = Record<string, unknown>
const encode = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Token as an attacker or another service would assemble it. */
function assemble(header: unknown, payload: unknown, key: KeyObject | Buffer | null): string {
  const text = `${encode(header)}.${encode(payload)}`
  if (key === null) return `${text}.`
  const signature = Buffer.isBuffer(key) ? createHmac('sha256', key).update(text).digest() : sign(null, Buffer.from(text), key)
  return `${text}.${signature.toString('base64url')}`
}

function read(token: string): { header: Json; payload: Json } {
  const [header = '', payload = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'))
  return { header: JSON.parse(header) as Json, payload: JSON.parse(payload) as Json }
}

describe('access tokens', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  const user = openForTests(() => api.addUser())
  let good: string
  const stranger = generateKeyPairSync('ed25519')

  beforeAll(async () => {
    good = (await bearerOf(api, user.email)).authorization.slice('Bearer '.length)
  })

  const ask = async (authorization: string, app = api.app) => {
    const response = await app.inject({ url: '/admin/api/v1/auth/me', headers: { authorization } })
    return response.statusCode
  }
  /** Token of our own key with changes. */
  const changed = (payload: Json, header: Json = {}) => {
    const own = read(good)
    return assemble({ ...own.header, ...header }, { ...own.payload, ...payload }, api.deps.keys.signing.newest.privateKey)
  }

  it('are accepted', async () => {
    expect(await ask(`Bearer ${good}`)).toBe(200)
  })

  it('name type, key, issuer, audience and times, and the caller by ids only', () => {
    const { header, payload } = read(good)
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: api.deps.keys.signing.newest.id })
    expect(payload).toEqual({
      iss: 'http://127.0.0.1:8080',
      aud: 'api',
      sub: user.id,
      iid: api.instanceId,
      sid: expect.any(String),
      role: 'admin',
      jti: expect.any(String),
      iat: 1795176000,
      exp: 1795176000 + 3600,
      auth_time: 1795176000,
    })
  })

  it('put together by the tests with our key are accepted too, so that the refusals below mean something', async () => {
    expect(await ask(`Bearer ${changed({})}`)).toBe(200)
  })

  const publicKey = () => api.deps.keys.signing.newest.publicKey
  const secretFromPublic = (format: 'pem' | 'der') => Buffer.from(publicKey().export({ type: 'spki', format }))
  const now = 1795176000
  const attacks: [string, () => string | Promise<string>][] = [
    ['nothing', () => ''],
    ['a word', () => 'token'],
    ['two parts', () => good.split('.').slice(0, 2).join('.')],
    ['four parts', () => `${good}.${good.split('.')[2]}`],
    ['five parts, as if encrypted', () => `${good}.a.b`],
    ['an empty signature', () => `${good.split('.').slice(0, 2).join('.')}.`],
    ['a cut signature', () => good.slice(0, -4)],
    ['a changed payload', () => good.replace(/\.[^.]+\./, `.${encode({ ...read(good).payload, role: 'viewer' })}.`)],
    ['alg none', () => assemble({ ...read(good).header, alg: 'none' }, read(good).payload, null)],
    ['alg NONE', () => assemble({ ...read(good).header, alg: 'NONE' }, read(good).payload, null)],
    ['alg nOnE with our signature', () => good.replace(/^[^.]+/, encode({ ...read(good).header, alg: 'nOnE' }))],
    [
      'HS256 keyed with our public PEM',
      () => assemble({ ...read(good).header, alg: 'HS256' }, read(good).payload, secretFromPublic('pem')),
    ],
    [
      'HS256 keyed with a PEM after blanks',
      () => assemble({ ...read(good).header, alg: 'HS256' }, read(good).payload, Buffer.from(` \n${secretFromPublic('pem')}`)),
    ],
    [
      'HS256 keyed with our public DER',
      () => assemble({ ...read(good).header, alg: 'HS256' }, read(good).payload, secretFromPublic('der')),
    ],
    ['HS256 with an empty key', () => assemble({ ...read(good).header, alg: 'HS256' }, read(good).payload, Buffer.alloc(0))],
    ['alg ES256', () => changed({}, { alg: 'ES256' })],
    ['alg Ed25519, which we do not issue', () => changed({}, { alg: 'Ed25519' })],
    ['alg as a list', () => changed({}, { alg: ['EdDSA'] })],
    ['no alg', () => changed({}, { alg: undefined })],
    ["a stranger's key under our kid", () => assemble(read(good).header, read(good).payload, stranger.privateKey)],
    [
      "a stranger's key embedded",
      async () => assemble({ ...read(good).header, jwk: await exportJWK(stranger.publicKey) }, read(good).payload, stranger.privateKey),
    ],
    [
      "a stranger's key by jku",
      () => assemble({ ...read(good).header, jku: 'http://127.0.0.1/jwks' }, read(good).payload, stranger.privateKey),
    ],
    [
      "a stranger's key by x5u",
      () => assemble({ ...read(good).header, x5u: 'http://127.0.0.1/x5u' }, read(good).payload, stranger.privateKey),
    ],
    ["a stranger's key by x5c", () => assemble({ ...read(good).header, x5c: ['AAAA'] }, read(good).payload, stranger.privateKey)],
    ['no kid', () => changed({}, { kid: undefined })],
    ['an unknown kid', () => changed({}, { kid: 'ffffffffffffffff' })],
    ['a kid that is a path', () => changed({}, { kid: '../../../../dev/null' })],
    ['a kid that is SQL', () => changed({}, { kid: "x' union select 'key" })],
    ['a kid that is a prototype', () => changed({}, { kid: '__proto__' })],
    ['a kid that is a number', () => changed({}, { kid: 7 })],
    ['b64 false', () => changed({}, { b64: false, crit: ['b64'] })],
    ['an unknown critical header', () => changed({}, { crit: ['exp'], exp: now })],
    ['crit empty', () => changed({}, { crit: [] })],
    ['typ JWT', () => changed({}, { typ: 'JWT' })],
    ['typ mfa+jwt', () => changed({}, { typ: 'mfa+jwt' })],
    ['no typ', () => changed({}, { typ: undefined })],
    ['another issuer', () => changed({ iss: 'https://example.com' })],
    ['another audience', () => changed({ aud: 'mfa' })],
    ['no audience', () => changed({ aud: undefined })],
    ['no subject', () => changed({ sub: undefined })],
    ['a subject that is no id', () => changed({ sub: 'admin' })],
    ['no session', () => changed({ sid: undefined })],
    ['a role that is none', () => changed({ role: 'owner' })],
    ['a role in a list', () => changed({ role: ['admin'] })],
    ['an instance that is no id', () => changed({ iid: '*' })],
    ['no end', () => changed({ exp: undefined })],
    ['an end at this second', () => changed({ iat: now - 3600, exp: now })],
    ['an end a second ago', () => changed({ iat: now - 3600, exp: now - 1 })],
    ['an end in the past', () => changed({ iat: now - 7200, exp: now - 3600 })],
    ['an end as text', () => changed({ exp: String(now + 3600) })],
    ['an end beyond all numbers', () => changed({ exp: 1e308 })],
    ['an end a year off', () => changed({ exp: now + 31_536_000 })],
    ['an end that is negative', () => changed({ exp: -1 })],
    ['an end that is null', () => changed({ exp: null })],
    ['a beginning in the future', () => changed({ nbf: now + 600 })],
    ['an issue in the future', () => changed({ iat: now + 600, exp: now + 1200 })],
    ['an issue two days ago', () => changed({ iat: now - 172_800, exp: now + 60 })],
    ['no issue', () => changed({ iat: undefined })],
    ['a payload that is a list', () => assemble(read(good).header, [], api.deps.keys.signing.newest.privateKey)],
    ['a payload that is no JSON', () => assemble(read(good).header, '{', api.deps.keys.signing.newest.privateKey)],
    ['a megabyte', () => changed({ padding: 'x'.repeat(1_000_000) })],
    ['blanks within', () => good.replace('.', ' .')],
    ['padding', () => `${good}==`],
  ]
  it.each(attacks)('are refused with 401: %s', async (_what, make) => {
    expect(await ask(`Bearer ${await make()}`)).toBe(401)
  })

  it.each([['Basic'], ['Token'], ['JWT'], ['Bearer:'], ['']])('are refused in the scheme %j', async (scheme) => {
    expect(await ask(`${scheme} ${good}`)).toBe(401)
  })

  it('are refused when missing, with a challenge to send one', async () => {
    const response = await api.app.inject({ url: '/admin/api/v1/auth/me' })
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, 'Bearer realm="api"'])
  })

  it('are told apart from a request without one', async () => {
    const challenge = async (authorization: string) =>
      (await api.app.inject({ url: '/admin/api/v1/auth/me', headers: { authorization } })).headers['www-authenticate']
    expect(await challenge(`Bearer ${good}x`)).toMatch(/^Bearer realm="api", error="invalid_token", error_description="[^"]+"$/)
    expect(await challenge('Basic YTpi')).toBe('Bearer realm="api"')
  })

  it('of a role that is not enough are told so', async () => {
    const viewer = await bearerOf(api, (await api.addUser({ role: 'viewer' })).email)
    const { statusCode, headers } = await api.app.inject({ url: '/admin/api/v1/users', headers: viewer })
    expect([statusCode, headers['www-authenticate']]).toEqual([403, expect.stringContaining('error="insufficient_scope"')])
  })

  it('are refused when they are refresh tokens', async () => {
    const login = (await logInAt(api.app, user.email)).json<{ refreshToken: string }>()
    expect(await ask(`Bearer ${login.refreshToken}`)).toBe(401)
  })
})

describe('the life of an access token', () => {
  const api = openForTests(() => testApi({ accessTokenMinutes: 10 }))
  const user = openForTests(() => api.addUser())
  const ask = async (headers: { authorization: string }, app = api.app) =>
    (await app.inject({ url: '/admin/api/v1/auth/me', headers })).statusCode

  it('is as long as set, to the second', async () => {
    const headers = await bearerOf(api, user.email)
    api.moveClock(599_999)
    const before = await ask(headers)
    api.moveClock(1)
    expect([before, await ask(headers), await ask(headers, api.another())]).toEqual([200, 401, 401])
  })

  it('ends with a logout, within a second, for reads in every process', async () => {
    const other = api.another()
    const headers = await bearerOf(api, user.email)
    const before = [await ask(headers), await ask(headers, other)]
    await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/logout', headers })
    api.moveClock(1_000)
    expect([...before, await ask(headers), await ask(headers, other)]).toEqual([200, 200, 401, 401])
  })

  const subscribe = async (headers: { authorization: string }, app = api.app) =>
    (
      await app.inject({
        method: 'POST',
        url: '/admin/api/v1/webhooks/subscriptions/NormalizedData',
        headers,
        payload: { callbackUrl: `https://hooks.example.com/${randomUUID()}` },
      })
    ).statusCode

  it('ends with a logout at once for whatever changes something, in every process', async () => {
    const other = api.another()
    const headers = await bearerOf(api, user.email)
    const before = [await subscribe(headers), await subscribe(headers, other)]
    await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/logout', headers })
    expect([...before, await subscribe(headers), await subscribe(headers, other)]).toEqual([200, 200, 401, 401])
  })

  it('ends at once for changes of whoever has been given another role, links by GET among them', async () => {
    const other = api.another()
    const demoted = await api.addUser({ role: 'developer' })
    const [admin, headers] = [await bearerOf(api, user.email), await bearerOf(api, demoted.email)]
    const link = `/admin/api/v1/normalized-data/company/${randomUUID()}/data-connection/${randomUUID()}/link`
    const before = [await subscribe(headers, other), (await other.inject({ url: link, headers })).statusCode]
    await api.app.inject({
      method: 'PUT',
      url: `/admin/api/v1/users/${demoted.id}`,
      headers: admin,
      payload: { name: 'Avery Tremblay', role: 'viewer', isEnabled: true },
    })
    const after = [await subscribe(headers, other), (await other.inject({ url: link, headers })).statusCode]
    expect([before, after]).toEqual([
      [200, 404],
      [401, 401],
    ])
  })

  it('ends when the user is deleted by whatever statement', async () => {
    const gone = await api.addUser()
    const headers = await bearerOf(api, gone.email)
    const before = await ask(headers)
    await api.deps.database.query('delete from users where id = $1', [gone.id])
    api.moveClock(1_000)
    expect([before, await ask(headers)]).toEqual([200, 401])
  })

  it('ends for a session that a slow transaction ended while others ended and were heard of', async () => {
    const slow = await bearerOf(api, (await api.addUser()).email)
    const quick = await bearerOf(api, user.email)
    const sessionOf = (headers: { authorization: string }) => read(headers.authorization.slice('Bearer '.length)).payload.sid
    const { database } = api.deps
    const client = await (database.sessions ?? database).connect()
    await client.query('begin')
    await client.query('update sessions set ended_at = now() where id = $1', [sessionOf(slow)])
    await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/logout', headers: quick })
    api.moveClock(3_000)
    const between = [await ask(slow), await ask(quick)]
    await client.query('commit')
    client.release()
    api.moveClock(3_000)
    expect([...between, await ask(slow)]).toEqual([200, 401, 401])
  })

  it('opens nothing while the database cannot say which sessions ended', async () => {
    const broken = await testApi()
    const headers = await bearerOf(broken, (await broken.addUser()).email)
    const before = await ask(headers, broken.app)
    await broken.deps.database.query('alter table ended_sessions rename to elsewhere')
    broken.moveClock(3_000)
    const after = await ask(headers, broken.app)
    await broken.close()
    expect([before, after]).toEqual([200, 500])
  })
})
