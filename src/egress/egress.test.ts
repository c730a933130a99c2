import type { Socket } from 'node:net'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEgress, type Egress, type EgressRequest } from './egress.ts'
import { EgressError } from './egress-error.ts'
import { LoopbackServers } from './loopback-server.ts'

const egress = createEgress({ allowPrivate: true, connectTimeoutMs: 300 })
const servers = new LoopbackServers()

afterEach(() => servers.closeAll())
afterAll(() => egress.close())

/** Writes a piece every 20 ms until the other side disconnects. */
function drip(socket: Socket, piece: string, start = ''): void {
  socket.write(start)
  const timer = setInterval(() => socket.write(piece), 20)
  socket.on('close', () => clearInterval(timer))
}

async function failureOf(request: Partial<EgressRequest> & { url: string }): Promise<EgressError['failure'] | 'none'> {
  try {
    await egress.request({ timeoutMs: 500, maxBytes: 1000, ...request })
    return 'none'
  } catch (error) {
    if (error instanceof EgressError) return error.failure
    throw error
  }
}

describe('a request', () => {
  test('sends method, headers and body and gives the answer back as it travelled', async () => {
    const packed = gzipSync('answer')
    const url = await servers.http(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.setHeader('X-Seen', `${request.method} ${request.url} ${request.headers['x-mine']} ${Buffer.concat(chunks)}`)
      response.setHeader('Set-Cookie', ['a=1', 'b=2'])
      response.writeHead(201, { 'content-encoding': 'gzip' }).end(packed)
    })
    const answer = await egress.request({
      method: 'POST',
      url: `${url}/in?x=1#part`,
      headers: { 'x-mine': 'yes' },
      body: 'sent',
      timeoutMs: 2000,
      maxBytes: 1000,
    })
    expect(answer).toMatchObject({ status: 201, truncated: false })
    expect(answer.headers).toMatchObject({ 'x-seen': 'POST /in?x=1 yes sent', 'set-cookie': 'a=1, b=2' })
    expect(Buffer.from(answer.body).equals(packed)).toBe(true)
  })

  test('goes to the next address of a name where nobody listens at the first', async () => {
    const url = new URL(await servers.http((_request, response) => void response.end('ok')))
    const lookup = async () => ['::1', '127.0.0.1'].map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const one = createEgress({ allowPrivate: true, lookup })
    expect(await one.request({ url: `http://receiver.example.com:${url.port}`, timeoutMs: 2000, maxBytes: 10 })).toMatchObject({
      status: 200,
    })
    await one.close()
  })

  test('does not follow a redirect', async () => {
    let asked = 0
    const url = await servers.http((_request, response) => {
      asked += 1
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    const answer = await egress.request({ url, timeoutMs: 2000, maxBytes: 1000 })
    expect({ status: answer.status, asked }).toEqual({ status: 302, asked: 1 })
  })

  test('uses its connections again', async () => {
    const sockets = new Set<Socket>()
    const url = await servers.http((request, response) => {
      sockets.add(request.socket)
      response.end('ok')
    })
    for (let turn = 0; turn < 10; turn += 1) await egress.request({ url, timeoutMs: 2000, maxBytes: 1000 })
    expect(sockets.size).toBeLessThan(4)
  })

  test.each([
    ...['host', 'Content-Length', 'transfer-encoding', 'connection', 'Keep-Alive', 'upgrade', 'expect', 'TE', 'trailer'],
    ...['proxy-authorization', 'Proxy-Connection'],
  ])('may not set the header %s', async (name) => {
    await expect(egress.request({ url: 'http://127.0.0.1:1/', headers: { [name]: '1' }, timeoutMs: 100, maxBytes: 1 })).rejects.toThrow(
      'is set by the connection',
    )
  })

  test('may set headers whose names only resemble these', async () => {
    const names = ['x-host', 'hosts', 'x-te', 'template', 'x-proxy-a', 'x-expect']
    const url = await servers.http((request, response) => response.end(names.map((name) => request.headers[name]).join('')))
    const headers = Object.fromEntries(names.map((name, index) => [name, String(index)]))
    const { body } = await egress.request({ url, headers, timeoutMs: 2000, maxBytes: 1000 })
    expect(Buffer.from(body).toString()).toBe('012345')
  })

  test('a header that would split the request is refused', async () => {
    const url = await servers.http((_request, response) => response.end())
    expect(await failureOf({ url, headers: { 'x-a': 'b\r\nx-c: d' } })).toBe('unreachable')
  })

  test('ends when its caller cancels it', async () => {
    const url = await servers.http(() => {})
    expect(await failureOf({ url, timeoutMs: 10_000, signal: AbortSignal.timeout(30) })).toBe('cancelled')
  })
})

describe('an egress', () => {
  async function outcomeOf(one: Egress, url: string): Promise<[string, number]> {
    const error = await one.request({ url, timeoutMs: 2000, maxBytes: 1 }).catch((caught: unknown) => caught)
    return [error instanceof EgressError ? error.failure : 'answered', lookups]
  }
  let lookups = 0
  const lookup = async () => {
    lookups += 1
    throw new Error('no such name')
  }
  beforeEach(() => {
    lookups = 0
  })

  test.each([
    ['http://receiver.example.com/', undefined, 1],
    ['http://receiver.example.com:443/', undefined, 1],
    ['https://receiver.example.com:80/', undefined, 1],
    ['https://receiver.example.com/', undefined, 1],
    ['https://receiver.example.com:8443/', undefined, 0],
    ['https://receiver.example.com:8443/', [8443], 1],
    ['https://receiver.example.com/', [8443], 0],
  ])('that goes to public hosts asks for %s with the ports %s so often', async (url, allowedPorts, asked) => {
    const one = createEgress({ allowPrivate: false, lookup, ...(allowedPorts ? { allowedPorts } : {}) })
    expect(await outcomeOf(one, url)).toEqual(['unreachable', asked])
    await one.close()
  })

  test('calls nobody while it is closed by its owner, and does so again afterwards', async () => {
    let isClosed = true
    const one = createEgress({ allowPrivate: true, lookup, isClosed: async () => isClosed })
    expect(await outcomeOf(one, 'http://receiver.example.com/')).toEqual(['closed', 0])
    isClosed = false
    expect(await outcomeOf(one, 'http://receiver.example.com/')).toEqual(['unreachable', 1])
    await one.close()
  })

  test('calls nobody after its end, whether it was used before or not', async () => {
    const [used, unused] = [createEgress({ allowPrivate: true, lookup }), createEgress({ allowPrivate: true, lookup })]
    await outcomeOf(used, 'http://receiver.example.com/')
    for (const one of [used, unused]) {
      await one.close()
      expect(await outcomeOf(one, 'http://receiver.example.com/')).toEqual(['unreachable', 1])
    }
  })

  test.each([
    ['that wait for an answer', '', 'unreachable'],
    // NOTE more than the system takes for a client that does not read.
    ['whose answer has begun', `HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n${'x'.repeat(32_000_000)}`, 'cut'],
  ])('cuts the requests %s, at its end', async (_what, begin, failure) => {
    const one = createEgress({ allowPrivate: true })
    const cut = Promise.withResolvers<void>()
    const url = await servers.tcp(
      (socket) =>
        void socket.once('data', () => {
          socket.once('close', () => cut.resolve())
          socket.write(begin, () => void one.close())
        }),
    )
    const asking = one.request({ url, timeoutMs: 20_000, maxBytes: 100_000_000 })
    await expect(asking).rejects.toMatchObject({ failure })
    await cut.promise
  })
})

describe('an error', () => {
  test('holds nothing of the URL, the headers or the answer', async () => {
    const url = await servers.tcp((socket) => void socket.once('data', () => socket.end('SECRET-answer\r\n')))
    const error = await egress
      .request({ url: `${url}/SECRET-path?SECRET-query`, headers: { authorization: 'SECRET-header' }, timeoutMs: 1000, maxBytes: 10 })
      .catch((caught: unknown) => caught)
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('SECRET')
  })
})

describe('a hostile answer', () => {
  test('an endless body is cut at the cap', async () => {
    const url = await servers.http((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    })
    const answer = await egress.request({ url, timeoutMs: 5000, maxBytes: 100_000 })
    expect({ truncated: answer.truncated, size: answer.body.length }).toEqual({ truncated: true, size: 100_000 })
  })

  test('a body as large as the cap is whole', async () => {
    const url = await servers.http((_request, response) => response.end(Buffer.alloc(1000)))
    const answer = await egress.request({ url, timeoutMs: 2000, maxBytes: 1000 })
    expect({ truncated: answer.truncated, size: answer.body.length }).toEqual({ truncated: false, size: 1000 })
  })

  test.each([
    ['a dripping body', (socket: Socket) => drip(socket, '.', 'HTTP/1.1 200 OK\r\n\r\n')],
    ['dripping headers', (socket: Socket) => drip(socket, 'x-a: b\r\n', 'HTTP/1.1 200 OK\r\n')],
    ['a dripping status line', (socket: Socket) => drip(socket, '\r\n')],
    ['silence', () => {}],
    ['a body that never ends', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')],
  ])('%s ends at the deadline', async (_name, talk) => {
    const url = await servers.tcp(talk)
    const started = performance.now()
    expect(await failureOf({ url, timeoutMs: 400, maxBytes: 100_000 })).toBe('timeout')
    expect(performance.now() - started).toBeLessThan(1500)
  })

  test.each([
    ['headers without end', (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'x-a: '.padEnd(200_000, 'b')}`)],
    ['no HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['a reset', (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['a close instead of an answer', (socket: Socket) => void socket.once('data', () => socket.end())],
    [
      'a body that breaks off',
      (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')),
    ],
    ['two lengths', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nabc')],
  ])('%s counts as a broken connection', async (_name, talk) => {
    expect(await failureOf({ url: await servers.tcp(talk), timeoutMs: 3000 })).toBe('cut')
  })

  test('a TLS handshake that never comes ends with the connect deadline', async () => {
    const url = await servers.tcp(() => {})
    const started = performance.now()
    expect(await failureOf({ url: url.replace('http:', 'https:'), timeoutMs: 5000 })).toBe('timeout')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('a slow name server ends with the connect deadline', async () => {
    const slow = createEgress({ allowPrivate: true, connectTimeoutMs: 100, lookup: () => new Promise(() => {}) })
    await expect(slow.request({ url: 'http://slow.example.com/', timeoutMs: 5000, maxBytes: 1 })).rejects.toMatchObject({
      failure: 'timeout',
    })
    await slow.close()
  })
})
