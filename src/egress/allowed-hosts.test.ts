import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { allowOnly, canBeAllowed, isAllowedHost } from './allowed-hosts.ts'
import { createEgress } from './egress.ts'
import { openGuardedSocket } from './guarded-socket.ts'
import { type LoopbackServer, serveHttp } from './loopback-server.ts'
import { openPostgres } from './postgres.ts'
import { openSftpSession } from './ssh.ts'

const LIST = ['api.example.com', '*.bank.example', '192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '2606:4700::7', '*.0.113.9']

let server: LoopbackServer
let requests = 0
const egress = createEgress({ allowPrivate: true })
beforeAll(async () => {
  server = await serveHttp((_request, response) => {
    requests += 1
    response.end('reached')
  })
})
afterEach(() => allowOnly(null))
afterAll(async () => {
  await egress.close()
  await server.close()
})

const ask = () => egress.request({ url: server.url, timeoutMs: 5_000, maxBytes: 100 })

describe('a host that is registered', () => {
  it.each([
    [['api.example.com'], 'api.example.com', true],
    [['api.example.com'], 'other.example.com', false],
    [['api.example.com'], '192.0.2.7', false],
    [['192.0.2.0/24'], '192.0.2.7', true],
    [['192.0.2.0/24'], '198.51.100.7', false],
    // Its addresses decide when it is connected to.
    [['192.0.2.0/24'], 'other.example.com', true],
    [null, 'other.example.com', true],
  ])('with the list %j: %s is possible: %s', (list, host, isPossible) => {
    allowOnly(list)
    expect(canBeAllowed(host)).toBe(isPossible)
  })
})

describe('the operator’s list of destinations', () => {
  it.each([
    ['api.example.com', ['203.0.113.1'], true],
    ['API.Example.com', ['203.0.113.1'], true],
    ['evil-api.example.com', ['203.0.113.1'], false],
    ['api.example.com.evil.example', ['203.0.113.1'], false],
    ['www.bank.example', ['203.0.113.1'], true],
    ['a.b.bank.example', ['203.0.113.1'], true],
    ['bank.example', ['203.0.113.1'], false],
    ['notbank.example', ['203.0.113.1'], false],
    ['192.0.2.7', ['192.0.2.7'], true],
    ['192.0.2.8', ['192.0.2.8'], false],
    ['203.0.113.9', ['203.0.113.9'], false],
    ['::ffff:192.0.2.7', ['::ffff:192.0.2.7'], true],
    ['2001:db8::1', ['2001:db8::1'], true],
    ['2606:4700::7', ['2606:4700::7'], true],
    ['2606:4700::8', ['2606:4700::8'], false],
    ['named.example', ['198.51.100.9', '198.51.100.10'], true],
    ['named.example', ['198.51.100.9', '203.0.113.1'], false],
    ['named.example', [], false],
  ])('%s at %j: %s', (host, addresses, expected) => {
    allowOnly(LIST)
    expect(isAllowedHost(host, addresses)).toBe(expected)
  })

  it('holds for requests, of each process, until it is lifted', async () => {
    allowOnly(LIST)
    await expect(ask()).rejects.toMatchObject({ failure: 'notListed', message: expect.stringContaining('EGRESS_ALLOWED_HOSTS') })
    expect(requests).toBe(0)
    allowOnly([...LIST, '127.0.0.1'])
    expect((await ask()).status).toBe(200)
  })

  it('holds for servers that are reached by other protocols', async () => {
    allowOnly(LIST)
    const port = Number(new URL(server.url).port)
    await expect(openGuardedSocket('127.0.0.1', port, { allowPrivate: true, timeoutMs: 5_000 })).rejects.toMatchObject({
      failure: 'notListed',
    })
    const ssh = { host: '127.0.0.1', port, user: 'a', hostKey: '' }
    await expect(openSftpSession(ssh, { password: 'a' }, true)).rejects.toThrow('cannot be reached')
    const postgres = { host: '127.0.0.1', port, database: 'a', user: 'a', tls: 'off', certificateAuthority: null } as const
    await expect(openPostgres(postgres, 'a', true)).rejects.toThrow('cannot be reached')
    expect(requests).toBe(1)
  })

  it('allows nothing where it is empty', () => {
    allowOnly([])
    expect(isAllowedHost('api.example.com', ['203.0.113.1'])).toBe(false)
  })
})
