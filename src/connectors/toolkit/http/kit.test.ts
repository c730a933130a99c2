import { inspect } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createEgress } from '../../../egress/egress.ts'
import { LoopbackServers } from '../../../egress/loopback-server.ts'
import { type HttpRequest, type Kit, SourceError } from '../../contract/contract.ts'
import { createKit } from './kit.ts'

const egress = createEgress({ allowPrivate: false, allowedPorts: [] })
const servers = new LoopbackServers()

afterEach(() => servers.closeAll())
afterAll(() => egress.close())

function kitFor(api: string, allowPrivate = true): Kit {
  return createKit({ egress, app: { clientId: 'id' }, hosts: { api }, now: () => new Date(0), allowPrivate })
}

async function failureOf(kit: Kit, request: HttpRequest): Promise<SourceError> {
  const outcome = await kit.http(request).then(
    () => null,
    (error: unknown) => error,
  )
  if (outcome instanceof SourceError) return outcome
  throw new Error(`expected a SourceError, got ${inspect(outcome)}`)
}

describe('a kit', () => {
  test('returns answers of any status, names of headers in lower case', async () => {
    const api = await servers.http((request, response) =>
      response.writeHead(503, { 'Retry-After': '7' }).end(request.headers['user-agent']),
    )
    const answer = await kitFor(api).http({ url: `${api}/x` })
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7' } })
    expect(Buffer.from(answer.body).toString()).toBe('Countinghouse')
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('unpacks %s and takes away what described the packed form', async (coding, pack) => {
    const api = await servers.http((_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(pack('text')))
    const answer = await kitFor(api).http({ url: api })
    expect(Buffer.from(answer.body).toString()).toBe('text')
    expect(answer.headers['content-encoding']).toBeUndefined()
  })

  test('an empty answer that claims to be packed is an empty answer', async () => {
    const api = await servers.http((_request, response) => response.writeHead(304, { 'content-encoding': 'gzip' }).end())
    expect(await kitFor(api).http({ url: api })).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  })

  test.each([
    ['a packed answer that grows past the cap', gzipSync(Buffer.alloc(5_000_000)), 'gzip', 'the answer is larger than 1000000 bytes'],
    ['a plain answer past the cap', Buffer.alloc(1_000_001), 'identity', 'the answer is larger than 1000000 bytes'],
    ['a packed answer that was cut', gzipSync('a long text').subarray(0, 20), 'gzip', 'the compressed answer is broken'],
    ['a packing that nobody asked for', Buffer.from('x'), 'zstd', 'the compressed answer is broken'],
  ])('%s is unavailable', async (_name, body, coding, reason) => {
    const api = await servers.http((_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(body))
    expect(await failureOf(kitFor(api), { url: api, maxBytes: 1_000_000 })).toMatchObject({
      kind: 'unavailable',
      message: `GET api: ${reason}`,
    })
  })

  test('a source that is late is unavailable', async () => {
    const api = await servers.http(() => {})
    expect(await failureOf(kitFor(api), { url: api, timeoutMs: 50 })).toMatchObject({
      kind: 'unavailable',
      message: 'GET api: no complete answer within 50 ms',
    })
  })

  test('an error holds nothing of the request or the answer', async () => {
    const api = await servers.http((request) => request.socket.end('SECRET answer\r\n'))
    const request = { method: 'POST', headers: { authorization: 'SECRET' }, body: 'SECRET' } as const
    const cut = await failureOf(kitFor(api), { ...request, url: `${api}/SECRET?token=SECRET` })
    const malformed = await failureOf(kitFor(api), { ...request, url: 'SECRET:SECRET' })
    expect(inspect([cut, malformed], { depth: 10, showHidden: true })).not.toContain('SECRET')
  })

  test('in the sandbox reaches its own hosts and nothing else inside', async () => {
    const api = await servers.http((_request, response) => response.end('api'))
    const other = await servers.http((_request, response) => response.end('other'))
    expect((await kitFor(api).http({ url: `${api}/a` })).status).toBe(200)
    expect((await failureOf(kitFor(api), { url: `${other}/a` })).message).toBe('GET source: the address could not be reached')
  })

  test('outside the sandbox reaches nothing inside, not even its own hosts', async () => {
    const api = await servers.http((_request, response) => response.end('api'))
    expect((await failureOf(kitFor(api, false), { url: api })).message).toBe('GET api: the address could not be reached')
  })
})
