import { afterEach, describe, expect, it } from 'vitest'
import { readTarget } from '../../src/api/routes/data/destination-input.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { requireEncryption } from '../../src/egress/allowed-hosts.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { serveHttp } from '../../src/egress/loopback-server.ts'
import { openPostgres } from '../../src/egress/postgres.ts'
import { checkCallbackUrl } from '../../src/webhooks/callback-url.ts'
import { openForTests } from '../harness/for-tests.ts'

const PRIVATE = { allowPrivate: true }
const DATABASE = {
  name: 'n',
  kind: 'postgres',
  host: '127.0.0.1',
  database: 'd',
  user: 'u',
  schema: 's',
  tls: 'off',
  password: 'p',
} as const
const BUCKET = {
  name: 'n',
  kind: 's3',
  endpoint: 'http://127.0.0.1:9000',
  region: 'r',
  bucket: 'b',
  accessKeyId: 'a',
  secretAccessKey: 's',
} as const

/** Where private addresses and plain HTTP are allowed otherwise: the most that a deployment may do. */
describe('with REQUIRE_TLS nothing is sent in clear, not even to this machine', () => {
  let requests = 0
  const server = openForTests(() =>
    serveHttp((_request, response) => {
      requests += 1
      response.end('{}')
    }),
  )
  const egress = openForTests(() => createEgress(PRIVATE))
  afterEach(() => {
    requireEncryption(false)
    requests = 0
  })

  /** With a connection of its own. */
  const ask = async () => {
    const own = createEgress(PRIVATE)
    return await own.request({ url: server.url, timeoutMs: 5_000, maxBytes: 100 }).finally(() => own.close())
  }

  it('by any request', async () => {
    expect((await ask()).status).toBe(200)
    requireEncryption(true)
    await expect(ask()).rejects.toThrow('the address is not encrypted, as the operator requires (REQUIRE_TLS)')
    expect(requests).toBe(1)
  })

  it('to a source whose address an owner has typed', async () => {
    const kit = createKit({ egress, app: {}, hosts: {}, now: () => new Date(), ...PRIVATE })
    requireEncryption(true)
    await expect(kit.http({ url: `${server.url}/books` })).rejects.toThrow('has to begin with https://')
    expect(requests).toBe(0)
  })

  it('to a customer’s database', async () => {
    requireEncryption(true)
    const server = { host: '127.0.0.1', port: 1, database: 'd', user: 'u', tls: 'off' as const, certificateAuthority: null }
    await expect(openPostgres(server, 'p', true)).rejects.toThrow('The operator requires encryption (TLS) for every connection.')
  })

  it('and what would be is refused where it is entered', async () => {
    checkCallbackUrl('http://127.0.0.1/hook', PRIVATE)
    await readTarget(DATABASE, PRIVATE)
    await readTarget(BUCKET, PRIVATE)
    requireEncryption(true)
    expect(() => checkCallbackUrl('http://127.0.0.1/hook', PRIVATE)).toThrow('callbackUrl must start with https://')
    await expect(readTarget(DATABASE, PRIVATE)).rejects.toThrow()
    await expect(readTarget(BUCKET, PRIVATE)).rejects.toThrow()
    checkCallbackUrl('https://127.0.0.1/hook', PRIVATE)
  })
})
