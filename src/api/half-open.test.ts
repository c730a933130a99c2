import { once } from 'node:events'
import { createServer, request as openRequest, type RequestOptions } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Registry } from 'prom-client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { testApi } from '../../test/harness/test-api.ts'
import { until } from '../../test/process/deadline.ts'
import { liftBodyDeadline, withBodyDeadline } from './http/body-deadline.ts'
import { clientErrors } from './http/client-error-handler.ts'
import { createApi } from './server.ts'

const SHORT = { headersMs: 200, bodyMs: 250, uploadMs: 300_000, closeMs: 100, checkMs: 20 }
const LOGIN = 'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{"email"'

const sockets: Socket[] = []
const timers: NodeJS.Timeout[] = []
afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A client that never closes its side, and sends `drop` every 20 ms after its beginning. */
function attack(port: number, beginning: string, drop = ''): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
    if (beginning !== '') socket.write(beginning)
    if (drop !== '') timers.push(setInterval(() => socket.writable && socket.write(drop), 20))
  })
  socket.on('error', () => undefined).resume()
  sockets.push(socket)
  return socket
}

function ask(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = openRequest({ host: '127.0.0.1', ...options }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', reject).end()
  })
}

describe('a request that is never complete', () => {
  const api = openForTests(testApi)
  const app = openForTests(() => createApi({ ...api.deps, metrics: new Registry() }, SHORT))
  let port: number
  beforeAll(async () => {
    port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  })

  it.each([
    ['sends nothing', '', ''],
    ['stops within its headers', 'GET /healthz HTTP/1.1\r\nhost: x\r\n', ''],
    ['trickles its headers', 'GET /healthz HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n'],
    ['stops within its body', LOGIN, ''],
    ['trickles its body', LOGIN, ' '],
    ['trickles chunks', LOGIN.replace('content-length: 90', 'transfer-encoding: chunked').replace('{"email"', '1\r\n{\r\n'), '1\r\n \r\n'],
    ['sends a body to an address that does not exist', LOGIN.replace('auth/login', 'auth/nothing'), ' '],
    ['sends an upload without a link', LOGIN.replace('/admin/api/v1/auth/login', '/connect/source'), ' '],
    ['follows a complete one', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /healthz HTTP/1.1\r\n', ''],
  ])('that %s is closed, though its client closes nothing, and is no error', async (_what, beginning, drop) => {
    const accepted = once(app.server, 'connection')
    attack(port, beginning, drop)
    const [socket] = (await accepted) as [Socket]
    await once(socket, 'close')
    expect(await ask({ port, path: '/healthz' })).toBe(200)
    expect(api.logged.filter((line) => /"level":(50|60)/.test(line))).toEqual([])
  })

  it('is answered with 408', async () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(LOGIN))
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"The request took too long\."/)
  })

  it('does not hold up a stop', async () => {
    const another = createApi({ ...api.deps, metrics: new Registry() }, { ...SHORT, headersMs: 300_000, bodyMs: 300_000 })
    const address = await another.listen({ host: '127.0.0.1', port: 0 })
    const asked = once(another.server, 'request')
    attack(Number(new URL(address).port), LOGIN)
    await asked
    await another.close()
  })

  it('keeps its time when its sender may upload', async () => {
    const server = createServer(
      withBodyDeadline(
        (request, response) => {
          if (request.url === '/upload') liftBodyDeadline(request)
          request.resume().once('end', () => response.end())
        },
        100,
        clientErrors([]),
      ),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const slow = (path: string) => {
      const sent = openRequest({ port, host: '127.0.0.1', method: 'POST', path })
      sent.write('x')
      return { sent, status: once(sent, 'response').then(([response]): unknown => response.statusCode) }
    }
    const upload = slow('/upload')
    // Begun later and cut off: by then the upload is past the deadline.
    expect(await slow('/other').status).toBe(408)
    upload.sent.end('y')
    expect(await upload.status).toBe(200)
    server.closeAllConnections()
    server.close()
  })
})

describe('more connections than MAX_CONNECTIONS', () => {
  it('are closed and counted, told once in the log, and the others are served on', async () => {
    const api = await testApi({ maxConnections: 10 })
    const { app, deps, logged } = api
    const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
    const held = Array.from({ length: 10 }, () => attack(port, ''))
    await until('ten connections', async () => ((await deps.metrics.metrics()).includes('countinghouse_http_connections 10') ? true : null))
    for (let more = 0; more < 3; more += 1) await expect(ask({ port, path: '/healthz' })).rejects.toThrow(/ECONNRESET|hang up/)
    expect(await deps.metrics.metrics()).toContain('countinghouse_http_connections_refused_total 3')
    expect(logged.filter((line) => line.includes('MAX_CONNECTIONS'))).toHaveLength(1)
    held[0]?.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(String(await once(held[0] ?? app.server, 'data'))).toMatch(/^HTTP\/1\.1 200 /)
    held[1]?.destroy()
    await until('room', () =>
      ask({ port, path: '/healthz' }).then(
        (status) => status === 200 || null,
        () => null,
      ),
    )
    for (const socket of held) socket.destroy()
    await api.close()
  })
})
