import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasOpenssl, makeIdentity } from '../../test/harness/identities.ts'
import { createEgress } from './egress.ts'
import { loadHttps } from './node-http.ts'

describe.skipIf(!hasOpenssl)('a request over TLS (skipped only where openssl is not installed)', () => {
  let server: Server
  let certificate = ''
  let port = 0

  beforeAll(async () => {
    const own = makeIdentity('test', 'DNS:receiver.example.com,IP:127.0.0.1')
    certificate = own.certificate
    const protocols = { ALPNProtocols: ['h2', 'http/1.1'] }
    server = loadHttps().createServer({ key: own.privateKey, cert: certificate, ...protocols }, (request, response) => {
      const { servername, alpnProtocol } = request.socket as TLSSocket
      response.end(`${request.headers.host} ${servername} ${alpnProtocol}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })

  async function answerOf(host: string, ca?: string, at = port): Promise<string> {
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    const egress = createEgress({ allowPrivate: true, lookup, ...(ca ? { ca: [ca] } : {}) })
    try {
      const answer = await egress.request({ url: `https://${host}:${at}/`, timeoutMs: 5000, maxBytes: 1000 })
      return Buffer.from(answer.body).toString()
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      await egress.close()
    }
  }

  test('goes to the checked address under the name that was asked for, and speaks HTTP/1.1', async () => {
    expect(await answerOf('receiver.example.com', certificate)).toBe(`receiver.example.com:${port} receiver.example.com http/1.1`)
  })

  test('accepts the certificate of an IP address', async () => {
    expect(await answerOf('127.0.0.1', certificate)).toBe(`127.0.0.1:${port} false http/1.1`)
  })

  test('refuses a certificate for another name', async () => {
    expect(await answerOf('other.example.com', certificate)).toBe('the address could not be reached')
  })

  test('refuses a server that speaks nothing newer than TLS 1.1', async () => {
    const own = makeIdentity('test', 'IP:127.0.0.1')
    const versions = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const answers: string[] = []
    for (const maxVersion of ['TLSv1.2', 'TLSv1.1'] as const) {
      const old = loadHttps().createServer({ key: own.privateKey, cert: own.certificate, ...versions, maxVersion }, (_, response) =>
        response.end('taken'),
      )
      await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve))
      answers.push(await answerOf('127.0.0.1', own.certificate, (old.address() as AddressInfo).port))
      await new Promise((resolve) => old.close(resolve))
    }
    expect(answers).toEqual(['taken', 'the address could not be reached'])
  })

  test('refuses a certificate that nobody vouches for', async () => {
    expect(await answerOf('receiver.example.com')).toBe('the address could not be reached')
  })
})
