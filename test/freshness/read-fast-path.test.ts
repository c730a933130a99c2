import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

/** Headers that differ in each response, or belong to the connection. */
const OF_THE_MOMENT = ['date', 'x-request-id', 'connection', 'keep-alive', 'ratelimit-remaining', 'ratelimit-reset']
const LIMIT = 120

const api = openForTests(() => openApiHarness([], { requestLimits: { perSession: LIMIT, perInstance: 0, perNetwork: 0 } }))
let origin: string
let path: string

beforeAll(async () => {
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
  path = `/admin/api/v1/normalized-data/${api.syncHarness.companyId}/banking/accounts/${toServiceId(api.bank.description.key)}`
})

const bearer = (role: keyof ApiHarness['tokens']) => ({ authorization: `Bearer ${api.tokens[role]}` })

interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Requests over the network, where a repeated read is answered ahead of the router. */
async function ask(headers: Record<string, string>, method = 'GET'): Promise<RawResponse> {
  const response = await fetch(`${origin}${path}`, { method, headers: { 'accept-encoding': 'identity', ...headers } })
  return { status: response.status, headers: lasting(Object.fromEntries(response.headers)), body: await response.text() }
}

/** Head lines of the responses to requests sent in one packet on one connection, which the last one closes. */
async function askAtOnce(asked: Record<string, string>[]): Promise<string[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const requests = asked.map((headers) => {
    const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  })
  let heard = ''
  const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write(requests.join('')))
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk
  })
  socket.on('close', () => resolve(heard)).on('error', reject)
  const heads: string[][] = []
  for (let rest = await promise; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.slice(0, end)
    heads.push(head.split('\r\n'))
    rest = rest.slice(end + 4 + (head.startsWith('HTTP/1.1 304') ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1])))
  }
  return heads
}

/** Requests directly from the router. */
async function askRouter(headers: Record<string, string>): Promise<RawResponse> {
  const {
    statusCode,
    headers: given,
    rawPayload,
  } = await api.app.inject({ url: path, headers: { 'accept-encoding': 'identity', ...headers } })
  const body = given['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload
  const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
  return { status: statusCode, headers: lasting(texts), body: body.toString() }
}

function lasting(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name)))
}

describe('a repeated read', () => {
  it.each([
    ['as it is', {}],
    ['compressed', { 'accept-encoding': 'gzip' }],
  ])('is answered as the router answers it: %s', async (_what, options: Record<string, string>) => {
    const headers = { ...bearer('viewer'), ...options }
    const first = await ask(headers)
    expect([first.status, JSON.parse(first.body).data.length > 0]).toEqual([200, true])
    expect([await ask(headers), await ask(headers), await askRouter(headers)]).toEqual([first, first, first])
  })

  it('is answered with 304 to a client that has it already', async () => {
    const { headers } = await ask(bearer('viewer'))
    const again = { ...bearer('viewer'), 'if-none-match': headers.etag ?? '' }
    const unchanged = await ask(again)
    expect([unchanged.status, unchanged.body]).toEqual([304, ''])
    expect(await askRouter(again)).toEqual(unchanged)
  })

  it.each([
    ['a page', {}],
    ['a compressed one', { 'accept-encoding': 'gzip' }],
    ['nothing new', { 'if-none-match': '*' }],
  ])('has the head that Node would write, on a kept and on a closed connection: %s', async (_what, options) => {
    await ask({ ...bearer('viewer'), ...options })
    const wanted = { ...bearer('viewer'), ...options }
    const heads = await askAtOnce([wanted, wanted, { ...wanted, connection: 'close' }])
    const told = heads.map(([first = '', ...lines]) => {
      const named = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const)
      const { date = '', connection, 'keep-alive': keepAlive, ...rest } = Object.fromEntries(named)
      expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000)
      expect(date).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
      expect(named.length).toBe(new Set(named.map(([name]) => name)).size)
      return { first, connection, keepAlive, rest: lasting(rest) }
    })
    expect(told.map(({ connection, keepAlive }) => [connection, keepAlive])).toEqual([
      ['keep-alive', 'timeout=72'],
      ['keep-alive', 'timeout=72'],
      ['close', undefined],
    ])
    for (const { first, rest } of told) expect([first, rest]).toEqual([told[2]?.first, told[2]?.rest])
  })

  it.each([
    ['a page', {}, 200],
    ['a compressed one', { 'accept-encoding': 'gzip' }, 200],
    ['nothing new', { 'if-none-match': '*' }, 304],
  ])('is stored by no browser, and kept by programs, whoever asked before: %s', async (_what, options: Record<string, string>, status) => {
    const program = { ...bearer('viewer'), ...options }
    const browser = { ...program, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    const told = async (headers: Record<string, string>) =>
      (await Promise.all([ask(headers), ask(headers), askRouter(headers)])).map((heard) => [heard.status, heard.headers['cache-control']])
    const [kept, notStored] = [Array(3).fill([status, 'private, no-cache']), Array(3).fill([status, 'no-store'])]
    expect([await told(program), await told(browser), await told(program)]).toEqual([kept, notStored, kept])
    // What `fetch` of Node says of itself.
    expect(await told({ ...program, 'sec-fetch-mode': 'cors' })).toEqual(kept)
  })

  it('has its own request id and the remaining limit in each response', async () => {
    const heard = [
      await fetch(`${origin}${path}`, { headers: bearer('admin') }),
      await fetch(`${origin}${path}`, { headers: bearer('admin') }),
    ]
    const [one, two] = heard.map((response) => Number(response.headers.get('ratelimit-remaining')))
    expect((one ?? 0) - (two ?? 0)).toBe(1)
    expect(new Set(heard.map((response) => response.headers.get('x-request-id'))).size).toBe(2)
  })

  it('does not bypass authentication', async () => {
    await ask(bearer('developer'))
    const answers = [await ask({}), await ask({ authorization: 'Bearer x' })]
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    expect((await ask(bearer('developer'), 'HEAD')).body).toBe('')
  })

  it('returns nothing to another instance, however often it asks', async () => {
    await ask(bearer('developer'))
    const { token } = await api.openOtherInstance()
    // A known caller is not checked again: only the second request may be answered ahead of the router.
    for (const turn of [1, 2, 3]) {
      const { status, body } = await ask({ authorization: `Bearer ${token}` })
      expect([turn, status, body.includes('Chequing')]).toEqual([turn, 404, false])
    }
  })

  it.each([
    ['size', 'PageSize=10', 'PageSize=11'],
    ['number', 'PageSize=10&PageNumber=1', 'PageSize=10&PageNumber=2'],
    ['order', 'OrderBy=origId', 'OrderBy=name'],
    ['direction', 'OrderBy=number&Desc=false', 'OrderBy=number&Desc=true'],
    ['filter', 'FilterQuery=origId=100', 'FilterQuery=origId=101'],
  ])('is different for another %s', async (_what, one, other) => {
    const books = `${origin}/admin/api/v1/normalized-data/${api.syncHarness.companyId}/accountancy/accounts/${toServiceId(api.books.description.key)}`
    const read = async (query: string) => await (await fetch(`${books}?${query}`, { headers: bearer('admin') })).text()
    const first = await read(one)
    expect(await read(other)).not.toBe(first)
    expect(await read(one)).toBe(first)
  })

  it.each([
    ['as a server sends it that has compressed the page itself', (etag: string) => `W/${etag}`],
    ['among others', (etag: string) => `"none", W/${etag}, "other"`],
  ])('is recognized by its ETag %s', async (_what, toHeader) => {
    const { headers } = await ask(bearer('viewer'))
    const again = { ...bearer('viewer'), 'if-none-match': toHeader(headers.etag ?? '') }
    expect([(await ask(again)).status, (await askRouter(again)).status]).toEqual([304, 304])
  })

  it('is refused beyond the limit, like any other', async () => {
    for (let count = 0; count < LIMIT; count += 1) await ask(bearer('integration'))
    const { status, headers, body } = await ask(bearer('integration'))
    expect([status, JSON.parse(body).Code, Number(headers['retry-after']) > 0]).toEqual([429, 429, true])
  })

  it('that finds nothing is counted once each time', async () => {
    const nothing = path.replace('/banking/', '/accountancy/')
    const answers = [1, 2, 3].map(() => async () => await fetch(`${origin}${nothing}`, { headers: bearer('viewer') }))
    const left: number[] = []
    for (const next of answers) left.push(Number((await next()).headers.get('ratelimit-remaining')))
    expect([Number(left[0]) - Number(left[1]), Number(left[1]) - Number(left[2])]).toEqual([1, 1])
  })

  it('is counted like any other', async () => {
    const of = async () => Number(/route="[^"]*banking\/accounts\/:serviceId",status_class="2xx"\} (\d+)/.exec(await metrics())?.[1] ?? 0)
    const before = await of()
    await ask(bearer('developer'))
    await ask(bearer('developer'))
    expect((await of()) - before).toBe(2)
  })
})

it('a repeated read of a deprecated operation has the headers of the first', async () => {
  const deprecated = { since: '2026-11-24', sunset: '2027-11-24', link: 'https://example.com/changes' }
  const app = api.openOn(api.syncHarness.deps)
  app.addHook('onRoute', (route) => {
    if (route.url.endsWith('/banking/accounts/:serviceId')) route.config = { ...route.config, deprecated }
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const read = async () => {
    const { status, headers } = await fetch(`${address}${path}`, { headers: bearer('viewer') })
    return [status, headers.get('deprecation'), headers.get('sunset'), headers.get('link')?.includes('rel="deprecation"')]
  }
  const expected = [200, '@1795478400', 'Wed, 24 Nov 2027 00:00:00 GMT', true]
  expect([await read(), await read(), await read()]).toEqual([expected, expected, expected])
  await app.close()
})

async function metrics(): Promise<string> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith('http_request_duration_seconds_count'))
    .join('\n')
}
