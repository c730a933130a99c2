import { Writable } from 'node:stream'
import fastify from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../src/api/access/caller.ts'
import { logRequests, requestTimer } from '../../src/api/http/access-log.ts'

const KEY: Caller = {
  ...{ instanceId: 'instance-1', userId: null, keyId: 'key-1', applicationId: 'key-0', createdBy: 'user-2', scopes: new Set() },
}
const USER: Caller = {
  ...{ instanceId: 'instance-1', userId: 'user-1', role: 'admin', sessionId: 'session-1', keyId: null, provenAtMs: 0, lacksTwoStep: false },
}

type Line = Record<string, unknown>

/** A server whose answers are as the address says, and what it logs at this level and above. */
function open(level: string) {
  const lines: Line[] = []
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(JSON.parse(String(chunk)))) })
  const log = pino({ level, base: null }, stream)
  const observed: unknown[] = []
  const app = fastify({ exposeHeadRoutes: true, genReqId: () => 'request-1' })
  app.decorateRequest('verifiedCaller', null)
  logRequests(
    app,
    log,
    (...labels) =>
      (seconds) =>
        observed.push([...labels, seconds]),
  )
  app.addHook('onRequest', async (request) => {
    const { as } = request.headers
    request.verifiedCaller = as === 'key' ? KEY : as === 'user' ? USER : null
  })
  app.all<{ Params: { status: string } }>('/work/:status', async ({ params: { status } }, reply) => {
    if (status === '299') reply.headMs = 1_500
    return await reply.code(Number(status)).send('x')
  })
  return { app, lines, observed }
}

describe('a request is in the log', () => {
  it.each([
    ['GET', 200, 'debug', 20],
    ['HEAD', 200, 'debug', 20],
    ['GET', 399, 'debug', 20],
    ['GET', 200, 'trace', 20],
    ['GET', 200, 'info', null],
    ['HEAD', 399, 'info', null],
    ['GET', 400, 'info', 30],
    ['HEAD', 503, 'info', 30],
    ['POST', 201, 'info', 30],
    ['DELETE', 204, 'info', 30],
    ['POST', 201, 'warn', null],
  ] as const)('%s answered %i, where the log begins at %s: at the level %s', async (method, status, level, logged) => {
    const { app, lines } = open(level)
    await app.inject({ method, url: `/work/${status}` })
    expect(lines.map((line) => line.level)).toEqual(logged === null ? [] : [logged])
  })

  it.each([
    ['nobody', {}],
    ['user', { instanceId: 'instance-1', userId: 'user-1' }],
    ['key', { instanceId: 'instance-1', keyId: 'key-1' }],
  ])('with its route and without what it holds, and with who asked: %s', async (as, caller) => {
    const { app, lines } = open('info')
    await app.inject({ method: 'POST', url: '/work/201?secret=1', headers: { as, authorization: 'Bearer secret' }, payload: { secret: 1 } })
    expect(lines).toEqual([
      {
        ...{ level: 30, time: expect.any(Number), msg: 'request', requestId: 'request-1', method: 'POST', route: '/work/:status' },
        ...{ status: 201, durationMs: expect.toSatisfy((ms: number) => ms >= 0 && Math.round(ms * 10) / 10 === ms), ...caller },
      },
    ])
  })

  it('as one of an unknown route where there is none', async () => {
    const { app, lines, observed } = open('info')
    await app.inject({ url: '/nothing/secret' })
    expect([lines.map(({ route, status }) => [route, status]), observed]).toEqual([
      [['unknown', 404]],
      [['GET', 'unknown', 404, expect.any(Number)]],
    ])
  })
})

it('a request counts by the time to its end, a streamed one by the time to its beginning, in seconds', async () => {
  const { app, observed } = open('info')
  await app.inject({ url: '/work/299' })
  await app.inject({ url: '/work/200' })
  expect(observed).toEqual([
    ['GET', '/work/:status', 299, 1.5],
    ['GET', '/work/:status', 200, expect.toSatisfy((seconds: number) => seconds > 0 && seconds < 1)],
  ])
})

it('times are counted by method, route and class of status', async () => {
  const metrics = new Registry()
  const timeOf = requestTimer(metrics)
  const asked: [string, string, number][] = [
    ['GET', '/a', 200],
    ['GET', '/a', 204],
    ['POST', '/a', 200],
    ['GET', '/b', 200],
    ['GET', '/a', 101],
    ['GET', '/a', 304],
    ['GET', '/a', 499],
    ['GET', '/a', 500],
    ['GET', '/a', 0],
    ['GET', '/a', 700],
  ]
  for (const labels of asked) timeOf(...labels)(0.25)
  expect(timeOf('GET', '/a', 200)).toBe(timeOf('GET', '/a', 299))
  const text = await metrics.getSingleMetricAsString('http_request_duration_seconds')
  const found = [...text.matchAll(/_count\{method="(\w+)",route="([^"]+)",status_class="(\w+)"\} (\d+)/g)].map((match) =>
    match.slice(1).join(' '),
  )
  expect(found.toSorted()).toEqual([
    ...['GET /a 1xx 1', 'GET /a 2xx 2', 'GET /a 3xx 1', 'GET /a 4xx 1', 'GET /a 5xx 1', 'GET /a none 2', 'GET /b 2xx 1', 'POST /a 2xx 1'],
  ])
  expect(text).toContain('http_request_duration_seconds_sum{method="GET",route="/a",status_class="2xx"} 0.5')
  expect([...text.matchAll(/_bucket\{le="([^"]+)",method="POST"/g)].map((match) => match[1])).toEqual([
    ...['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '+Inf'],
  ])
})

it('times are counted up to each bound, which belongs to its bucket', async () => {
  const metrics = new Registry()
  const observe = requestTimer(metrics)('GET', '/a', 200)
  const seconds = [0, 0.001, 0.0011, 0.25, 0.2501, 30, 30.1, 3_600]
  for (const value of seconds) observe(value)
  const text = await metrics.metrics()
  const found = [...text.matchAll(/_bucket\{le="([^"]+)",method="GET",route="\/a",status_class="2xx"\} (\d+)/g)]
  const isUpTo = (bound: string) => seconds.filter((value) => value <= Number(bound.replace('+Inf', 'Infinity'))).length
  expect(found).toHaveLength(15)
  expect(found.map(([, bound = '', count]) => [bound, Number(count)])).toEqual(found.map(([, bound = '']) => [bound, isUpTo(bound)]))
  expect(text).toContain('# TYPE http_request_duration_seconds histogram')
  expect(text).toContain(`_sum{method="GET",route="/a",status_class="2xx"} ${seconds.reduce((sum, value) => sum + value, 0)}`)
  expect(text).toContain('_count{method="GET",route="/a",status_class="2xx"} 8')
})
