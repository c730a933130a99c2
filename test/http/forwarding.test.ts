import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ApiSettings } from '../../src/api/context/settings.ts'
import { checkForwarding, isProxied } from '../../src/api/http/forwarding.ts'

const HOUR_MS = 3_600_000
const PROXY = '10.1.2.3'
const opened: FastifyInstance[] = []
afterAll(() => Promise.all(opened.map((app) => app.close())))

let warnings: [peer: string, message: string][]
let nowMs = 0
beforeEach(() => {
  warnings = []
})

/** A server behind a proxy; each request arrives there over plain HTTP. */
function serve(publicUrl: string, trustedProxies: string[]): FastifyInstance {
  const app = Fastify({ trustProxy: trustedProxies.length > 0 ? trustedProxies : false })
  const settings = { publicUrl, trustedProxies } as Partial<ApiSettings> as ApiSettings
  const log = { warn: ({ peer }: { peer: string }, message: string) => void warnings.push([peer, message]) }
  app.addHook(
    'onRequest',
    checkForwarding(settings, Object.assign(Object.create(app.log), log), () => new Date(nowMs)),
  )
  app.route({ method: ['GET', 'HEAD', 'POST'], url: '/*', handler: async () => 'passed' })
  opened.push(app)
  return app
}
const ask = async (app: FastifyInstance, url: string, headers: Record<string, string>, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
  const { statusCode, headers: sent } = await app.inject({ method, url, headers, remoteAddress: PROXY })
  return statusCode === 308 ? `308 ${String(sent.location)}` : String(statusCode)
}
const PLAIN = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' }

describe('a request that reached the proxy over plain HTTP', () => {
  const secure = () => serve('https://books.example.com', [PROXY])

  it.each<['GET' | 'HEAD' | 'POST', string, string]>([
    ['GET', '/portal/?a=1', '308 https://books.example.com/portal/?a=1'],
    ['HEAD', '/connect', '308 https://books.example.com/connect'],
    ['POST', '/connect/consent', '403'],
    ['GET', '/admin/api/v1/companies', '403'],
    ['GET', '/admin/api', '403'],
    ['GET', '/admin/api?x', '403'],
    ['GET', '/hooks/xero', '403'],
    ['GET', '/receiver', '403'],
    ['GET', '/administration', '308 https://books.example.com/administration'],
    ['GET', '/hooks-of-ours', '308 https://books.example.com/hooks-of-ours'],
    ['GET', '/healthz', '200'],
    ['GET', '/livez?verbose', '200'],
    ['GET', '/readyz', '200'],
    ['GET', '/metrics', '200'],
    ['GET', '/metrics-of-ours', '308 https://books.example.com/metrics-of-ours'],
    ['GET', '/connect/healthz', '308 https://books.example.com/connect/healthz'],
  ])('%s %s gets %s', async (method, url, answer) => {
    expect(await ask(secure(), url, PLAIN, method)).toBe(answer)
    expect(warnings).toEqual([])
  })

  it.each([
    ['came over TLS', { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }, '200'],
    ['says nothing of client or scheme', { via: '1.1 proxy' }, '200'],
    ['names the client alone', { 'x-forwarded-for': '203.0.113.7' }, '308 https://books.example.com/portal/'],
    ['names the scheme alone', { 'x-forwarded-proto': 'http' }, '308 https://books.example.com/portal/'],
    ['names both in the other way', { forwarded: 'for=203.0.113.7;proto=http' }, '308 https://books.example.com/portal/'],
    ['came through no proxy', {}, '200'],
  ])('is told by what the proxy says: one that %s gets %3$s', async (_which, headers, answer) => {
    expect(await ask(secure(), '/portal/', headers as Record<string, string>)).toBe(answer)
  })

  it('is as it should be where the public address is no https', async () => {
    expect(await ask(serve('http://localhost:8080', [PROXY]), '/portal/', PLAIN)).toBe('200')
  })
})

describe('a proxy that is not trusted', () => {
  it('is named in the log, once an hour, and its words change nothing', async () => {
    const app = serve('https://books.example.com', ['192.0.2.1'])
    for (const passedMs of [0, HOUR_MS - 1, 1]) {
      nowMs += passedMs
      expect(await ask(app, '/portal/', PLAIN)).toBe('200')
    }
    expect(warnings).toEqual(Array(2).fill([PROXY, expect.stringContaining('a proxy that TRUSTED_PROXIES does not name')]))
  })

  it('is none by a request without headers of proxies', async () => {
    await ask(serve('https://books.example.com', []), '/portal/', { 'x-forward': '1', cookie: 'via=1' })
    expect(warnings).toEqual([])
  })

  it('is told where none is trusted at all', async () => {
    await ask(serve('https://books.example.com', []), '/portal/', { via: '1.1 proxy' })
    expect(warnings).toEqual([[PROXY, expect.stringContaining('requests come through a proxy, and none is trusted')]])
  })
})

describe('a header', () => {
  it.each([
    ...['x-forwarded', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip', 'x-original-url', 'x-cluster-client-ip'],
    ...['x-client-ip', 'true-client-ip', 'cf-ray', 'fastly-client-ip'],
  ])('%s is of a proxy', (name) => {
    expect(isProxied({ accept: '*/*', [name]: 'x' })).toBe(true)
  })

  it.each(['x-forwardedfor', 'forwarded-by', 'x-via', 'via-x', 'x-original', 'x-original-', 'not-x-real-ip', 'x-real-ip2', 'cf-', 'cf'])(
    '%s is of none',
    (name) => {
      expect(isProxied({ accept: '*/*', [name]: 'x' })).toBe(false)
    },
  )
})
