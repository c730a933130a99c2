import { once } from 'node:events'
import { request as ask } from 'node:https'
import { connect as connectInClear, type Socket } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { Registry } from 'prom-client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ServerIdentity } from '../../src/api/context/server-tls.ts'
import { createApi } from '../../src/api/server.ts'
import { openForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { testApi } from '../harness/test-api.ts'
import { until } from '../process/deadline.ts'

/** Long enough for handshakes of this machine while it is busy. */
const SHORT = { headersMs: 1_500, bodyMs: 300, uploadMs: 300_000, closeMs: 100, checkMs: 20 }
/** Record of a handshake that announces more bytes than follow. Source: https://www.rfc-editor.org/rfc/rfc8446#section-5.1 */
const BEGUN = Buffer.from([22, 3, 1, 1, 0, 1])
const HEAD = 'GET /healthz HTTP/1.1\r\nhost: x\r\n'
const LOGIN = 'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{'
const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
const WEAK = ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA256']

const sockets: Socket[] = []
const timers: NodeJS.Timeout[] = []
afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  for (const socket of sockets.splice(0)) socket.destroy()
})

const none: ServerIdentity = { cert: '', key: '' }
function identityOf(name: string): ServerIdentity {
  if (!hasOpenssl) return none
  const { certificate: cert, privateKey: key } = makeIdentity(name)
  return { cert, key }
}

describe.skipIf(!hasOpenssl)('the API with a certificate of its own (skipped only where openssl is not installed)', () => {
  const [first, second] = [identityOf('first'), identityOf('second')]
  const renewals: ((identity: ServerIdentity) => void)[] = []
  const tls = { identity: first, onRenewed: (use: (identity: ServerIdentity) => void) => void renewals.push(use) }
  const metrics = new Registry()
  const api = openForTests(() => testApi())
  const app = openForTests(() => createApi({ ...api.deps, metrics, tls }, SHORT))
  let port: number
  beforeAll(async () => {
    port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  })

  /** Status of a probe, with the certificate that it trusts. */
  function probe(ca: string): Promise<number> {
    return new Promise((resolve, reject) => {
      ask({ host: '127.0.0.1', port, path: '/healthz', ca, agent: false }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      })
        .once('error', reject)
        .end()
    })
  }

  async function speak(options: ConnectionOptions): Promise<string> {
    return await new Promise((resolve) => {
      const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca: first.cert, ...options }, () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
      socket.on('error', () => resolve('refused'))
    })
  }

  /** A client that never closes its side, and sends `drop` every 20 ms. */
  function attack(socket: Socket, beginning: Buffer | string, drop: Buffer | string): void {
    socket.on('error', () => undefined).resume()
    sockets.push(socket)
    if (beginning.length > 0) socket.write(beginning)
    if (drop.length > 0) timers.push(setInterval(() => socket.writable && socket.write(drop), 20))
  }

  const gauge = async () => Number(/^countinghouse_http_connections (\d+)/m.exec(await metrics.metrics())?.[1])

  it('answers over https', async () => {
    expect(await probe(first.cert)).toBe(200)
  })

  it('speaks TLS 1.3 and 1.2 with forward secrecy and authenticated encryption, and nothing older or weaker', async () => {
    expect(await speak({})).toMatch(/^TLSv1\.3 TLS_/)
    expect(await speak({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-.*(GCM|CHACHA20)/)
    expect(await speak(OLD)).toBe('refused')
    for (const ciphers of WEAK)
      expect([ciphers, await speak({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` })]).toEqual([ciphers, 'refused'])
  })

  it.each([
    ['sends nothing', '', ''],
    ['begins a handshake', BEGUN, ''],
    ['trickles a handshake', BEGUN, Buffer.from([0])],
    ['speaks without encryption', `${HEAD}\r\n`, ''],
  ])('closes a connection that %s, and counts it no longer', async (_what, beginning, drop) => {
    const accepted = once(app.server, 'connection')
    attack(connectInClear({ port, host: '127.0.0.1', allowHalfOpen: true }), beginning, drop)
    const [socket] = (await accepted) as [Socket]
    if (!socket.destroyed) await once(socket, 'close')
    await until('no open connection', async () => ((await gauge()) === 0 ? true : null))
    expect(await probe(first.cert)).toBe(200)
    expect(api.logged.filter((line) => /"level":(50|60)/.test(line))).toEqual([])
  })

  it.each([
    ['sends nothing after its handshake', '', ''],
    ['trickles its headers', HEAD, 'x-a: b\r\n'],
    ['trickles its body', LOGIN, ' '],
  ])('closes a connection that %s', async (_what, beginning, drop) => {
    const accepted = once(app.server, 'secureConnection')
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: first.cert,
      socket: connectInClear({ port, host: '127.0.0.1', allowHalfOpen: true }),
    })
    await once(socket, 'secureConnect')
    attack(socket, beginning, drop)
    const [served] = (await accepted) as [Socket]
    if (!served.destroyed) await once(served, 'close')
    await until('no open connection', async () => ((await gauge()) === 0 ? true : null))
  })

  it('answers new connections with a renewed certificate, and open ones go on', async () => {
    const open = connect({ port, host: '127.0.0.1', ca: first.cert })
    await once(open, 'secureConnect')
    for (const use of renewals) use(second)
    expect(await probe(second.cert)).toBe(200)
    await expect(probe(first.cert)).rejects.toThrow(/self-signed|certificate/)
    expect(await speak({ ca: second.cert, ...OLD }), 'versions stay').toBe('refused')
    open.write(`${HEAD}connection: close\r\n\r\n`)
    expect(String((await once(open, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
    open.destroy()
  })
})
