import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ConnectionOptions, connect, createServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { HOST, isMissing, PROXIES, type RunningProxy, startProxy } from './proxies.ts'

/** What a client speaks that knows the old versions, too. */
const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
/** Without forward secrecy, or without authenticated encryption. */
const WEAK = ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA256']
const SECURE = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305']

/** Version and cipher suite that were agreed on, or `refused`. */
async function speak(port: number, ca: string, options: ConnectionOptions): Promise<string> {
  return await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: HOST, ca, ...options }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
      socket.destroy()
    })
    socket.on('error', () => resolve('refused'))
  })
}

describe.each(PROXIES)('TLS of %s with the configuration of deploy/proxy', (name) => {
  const note = isMissing(name) ? ` (SKIPPED: no ${name} or no openssl on this machine)` : ''
  describe.skipIf(isMissing(name))(`as in Debian${note}`, () => {
    let proxy: RunningProxy
    const upstream = openForTests(() => createHttpServer((_request, answer) => answer.end()).listen(0, '127.0.0.1'))
    const ask = async (options: ConnectionOptions) => await speak(proxy.httpsPort, proxy.certificate, options)
    beforeAll(async () => {
      await once(upstream, 'listening')
      proxy = await startProxy(name, (upstream.address() as AddressInfo).port)
    })
    afterAll(async () => {
      await proxy?.close()
      upstream?.closeAllConnections()
    })

    it('is of version 1.3 with whoever knows it, and of 1.2 with others', async () => {
      expect(await ask({})).toMatch(/^TLSv1\.3 TLS_/)
      expect(await ask({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-/)
    })

    it('is of no older version', async () => {
      expect(await ask(OLD)).toBe('refused')
    })

    it.each(SECURE)('agrees on %s', async (ciphers) => {
      expect(await ask({ maxVersion: 'TLSv1.2', ciphers })).toBe(`TLSv1.2 ${ciphers}`)
    })

    it.each(WEAK)('refuses %s', async (ciphers) => {
      expect(await ask({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` })).toBe('refused')
    })
  })
})

describe.skipIf(!hasOpenssl)('the client of these tests', () => {
  it('can speak what the proxies refuse', async () => {
    const { certificate, privateKey } = makeIdentity(HOST, `DNS:${HOST}`)
    const server = createServer({ cert: certificate, key: privateKey, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await speak(port, certificate, OLD)).toMatch(/^TLSv1\.1 /)
    const ecdsa = WEAK.filter((ciphers) => ciphers.includes('ECDSA'))
    for (const ciphers of ecdsa)
      expect(await speak(port, certificate, { maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` })).toBe(`TLSv1.2 ${ciphers}`)
    server.close()
  })
})
