import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { testApi } from '../../test/harness/test-api.ts'
import { Secret } from '../model/values/secret.ts'

const TOKEN = { token: new Secret('a-token-of-this-test'), isOpenToMachine: false }

describe('bytes on the wire', () => {
  const api = openForTests(testApi)
  let port: number
  beforeAll(async () => {
    port = Number(new URL(await api.app.listen({ host: '127.0.0.1', port: 0 })).port)
  })

  /** Sends bytes and returns everything received until the server closes the connection. */
  function send(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })
  }
  const request = (head: string, body = '') => send(`${head}\r\nhost: x\r\nconnection: close\r\n\r\n${body}`)

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['an unknown method', 'BREW /healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['two lengths', 'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ])('%s are answered with 400', async (_what, bytes) => {
    expect(await send(bytes)).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('with too large headers are answered with 431 as problem details', async () => {
    const answer = await request(`GET /healthz HTTP/1.1\r\nx-large: ${'x'.repeat(20_000)}`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toContain('"Code":431')
    expect(answer).toMatch(/\r\ncontent-security-policy: default-src 'none'; .*frame-ancestors 'none'\r\n/)
  })

  it.each(['TRACE', 'CONNECT'])('of %s get no echo', async (method) => {
    const answer = await request(`${method} /healthz HTTP/1.1\r\nx-secret: do-not-echo`)
    expect(answer).not.toContain('do-not-echo')
    expect(answer).not.toMatch(/^HTTP\/1\.1 2/)
  })

  it('in chunks that never announce their size are still limited', async () => {
    const chunk = `${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`
    const answer = await request(
      'POST /admin/api/v1/auth/login HTTP/1.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked',
      `${chunk.repeat(6)}0\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('of a HEAD request are answered without a body', async () => {
    const answer = await request('HEAD /healthz HTTP/1.1')
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer.endsWith('\r\n\r\n')).toBe(true)
  })

  it('has deadlines for headers, uploads and silence', () => {
    const { headersTimeout, requestTimeout, timeout, maxHeadersCount } = api.app.server
    expect({ headersTimeout, requestTimeout, timeout, maxHeadersCount }).toEqual({
      headersTimeout: 8_000,
      requestTimeout: 310_000,
      timeout: 60_000,
      maxHeadersCount: 100,
    })
  })
})

describe('what machines of the operator ask', () => {
  const api = openForTests(testApi)
  const ask = (url: string, options: { remoteAddress?: string; headers?: Record<string, string> } = {}) =>
    api.app.inject({ url, ...options })

  it('is answered while the process lives and the database answers', async () => {
    const answers = await Promise.all(['/healthz', '/livez', '/readyz'].map(async (url) => (await ask(url)).json()))
    expect(answers).toEqual([{ status: 'ok' }, { status: 'ok' }, { status: 'ready' }])
  })

  it('is answered with 503 when the database does not, while the process lives', async () => {
    const broken = await testApi()
    await broken.deps.database.end()
    const answers = await Promise.all(['/readyz', '/healthz', '/livez'].map((url) => broken.app.inject({ url })))
    expect(answers.map((answer) => [answer.statusCode, answer.headers['retry-after']])).toEqual([
      [503, '2'],
      [200, undefined],
      [200, undefined],
    ])
  })

  it.each([
    ['the machine itself', '127.0.0.1', {}, 200],
    ['the machine itself by IPv6', '::1', {}, 200],
    ['elsewhere', '203.0.113.9', {}, 404],
    ['elsewhere through a proxy on the machine', '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, 404],
  ])('gives numbers to %s: %s', async (_who, remoteAddress, headers, status) => {
    expect((await ask('/metrics', { remoteAddress, headers })).statusCode).toBe(status)
  })

  it.each(['x-forwarded-host', 'forwarded', 'via', 'x-real-ip', 'x-original-url', 'cf-connecting-ip', 'true-client-ip'])(
    'gives no numbers to whoever comes through a proxy that sends no more than %s',
    async (header) => {
      expect((await ask('/metrics', { remoteAddress: '127.0.0.1', headers: { [header]: 'x' } })).statusCode).toBe(404)
    },
  )

  it.each([
    ['in production', { metrics: { token: null, isOpenToMachine: false } }, {}, 404],
    ['where metrics have an address of their own', { metrics: null }, {}, 404],
    ['beside a trusted proxy on the machine, which may forward nothing', { trustedProxies: ['127.0.0.1'] }, {}, 404],
    ['where a token is wanted', { metrics: TOKEN }, {}, 401],
    ['with another token', { metrics: TOKEN }, { authorization: 'Bearer a-token-of-this-text' }, 401],
  ])('gives no numbers to the machine itself %s', async (_where, settings, headers, status) => {
    const strict = await testApi(settings)
    expect((await strict.app.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers })).statusCode).toBe(status)
    await strict.close()
  })

  it('gives numbers to whoever has the token, from wherever', async () => {
    const strict = await testApi({ metrics: TOKEN })
    const headers = { authorization: 'Bearer a-token-of-this-test', 'x-forwarded-for': '203.0.113.9' }
    expect((await strict.app.inject({ url: '/metrics', remoteAddress: '203.0.113.9', headers })).statusCode).toBe(200)
    await strict.close()
  })

  it('is told apart by the address that a trusted proxy forwards, and by no other', async () => {
    const trusting = await testApi({ trustedProxies: ['127.0.0.1'], requestLimits: { perSession: 0, perInstance: 0, perNetwork: 1 } })
    const from = (remoteAddress: string, forwarded: string) =>
      trusting.app.inject({ url: '/admin/api/v1/auth/me', remoteAddress, headers: { 'x-forwarded-for': forwarded } })
    const answers = [await from('127.0.0.1', '192.0.2.1'), await from('127.0.0.1', '192.0.2.2'), await from('192.0.2.9', '192.0.2.3')]
    answers.push(await from('192.0.2.9', '192.0.2.4'))
    await trusting.close()
    expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401, 401, 429])
  })

  it('counts requests by route, never by address', async () => {
    await ask('/admin/api/v1/users/3f2504e0-4f89-41d3-9a0c-0305e82c3301')
    await ask('/no/such/3f2504e0')
    const { body } = await ask('/metrics')
    expect(body).toContain('route="/admin/api/v1/users/:userId",status_class="4xx"')
    expect(body).not.toContain('3f2504e0')
  })

  it('gives the public halves of the signing keys only', async () => {
    const { keys } = (await ask('/.well-known/jwks.json')).json<{ keys: object[] }>()
    expect(keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: expect.any(String), alg: 'EdDSA', use: 'sig' }])
  })
})
