import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasOpenssl, makeIdentity } from '../../test/harness/identities.ts'
import type { Identity } from './connector.ts'
import { createEgress, type Egress } from './egress.ts'

describe.skipIf(!hasOpenssl)('a request with an identity (skipped only where openssl is not installed)', () => {
  let server: Server
  let url = ''
  let own: Identity
  const callers: Record<string, Identity> = {}
  let egress: Egress
  let connections = 0

  beforeAll(async () => {
    own = makeIdentity('server')
    for (const name of ['alice', 'bob', 'stranger']) callers[name] = makeIdentity(name)
    const ca = [callers.alice?.certificate ?? '', callers.bob?.certificate ?? '']
    server = createServer(
      { key: own.privateKey, cert: own.certificate, ca, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        const { socket } = request
        response.end(socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject.CN) : 'nobody')
      },
    )
    server.on('secureConnection', () => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  beforeEach(() => {
    connections = 0
    egress = createEgress({ allowPrivate: true, ca: [own.certificate] })
  })
  afterEach(() => egress.close())

  async function seenAs(identity: Identity | undefined): Promise<string> {
    const answer = await egress.request({ url, timeoutMs: 5000, maxBytes: 1000, ...(identity ? { identity } : {}) })
    return Buffer.from(answer.body).toString()
  }

  test('shows its certificate to a server that demands one', async () => {
    expect(await seenAs(callers.alice)).toBe('alice')
  })

  test('is never sent over a socket of another identity or of none', async () => {
    const seen: string[] = []
    for (const name of ['alice', 'bob', 'alice', 'bob']) seen.push(await seenAs(callers[name]))
    expect(seen).toEqual(['alice', 'bob', 'alice', 'bob'])
    await expect(seenAs(undefined)).rejects.toThrow()
  })

  test('shares its sockets with the next requests of the same identity', async () => {
    const { certificate = '', privateKey = '' } = callers.alice ?? {}
    for (let turn = 0; turn < 10; turn += 1) await seenAs({ certificate, privateKey })
    expect(connections).toBeLessThan(5)
  })

  test('still goes out when many identities came before it', async () => {
    for (let turn = 0; turn < 60; turn += 1) {
      const certificate = `${callers.bob?.certificate ?? ''}${'\n'.repeat(turn)}`
      expect(await seenAs({ certificate, privateKey: callers.bob?.privateKey ?? '' })).toBe('bob')
    }
    expect(await seenAs(callers.alice)).toBe('alice')
  })

  test.each([
    ['nobody vouches for', () => callers.stranger],
    ['is no PEM', () => ({ certificate: 'SECRET-CERT', privateKey: 'SECRET-KEY' })],
    ['belongs to another key', () => ({ certificate: callers.alice?.certificate ?? '', privateKey: callers.bob?.privateKey ?? '' })],
  ])('whose certificate %s fails without a word of it', async (_what, identity) => {
    const failure = await seenAs(identity()).catch((error: unknown) => error)
    const told = failure instanceof Error ? `${failure.message} ${String(failure.cause)}` : 'answered'
    expect(told).toMatch(/^(the address could not be reached|the connection broke off) /)
    expect(told).not.toMatch(/SECRET|BEGIN/)
  })
})
