import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/db/database.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'

/**
 * PostgreSQL's request for encryption; the answer `S` begins TLS.
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

describe.skipIf(!hasOpenssl)('the certificate of a database across a network (skipped only where openssl is not installed)', () => {
  const folder = folderForTests()
  let server: Server
  let port: number
  /** What reached the server before the encryption, and inside it: a client that does not trust it sends nothing there. */
  const inClear: Buffer[] = []
  const received: string[] = []
  beforeAll(async () => {
    const own = makeIdentity('database', 'IP:127.0.0.1')
    const another = makeIdentity('database', 'IP:127.0.0.1')
    const elsewhere = makeIdentity('database', 'DNS:other.example.com')
    await writeFile(join(folder.path, 'own.pem'), own.certificate)
    await writeFile(join(folder.path, 'another.pem'), another.certificate)
    await writeFile(join(folder.path, 'both.pem'), another.certificate + own.certificate)
    await writeFile(join(folder.path, 'elsewhere.pem'), elsewhere.certificate)
    server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (request: Buffer) => {
        inClear.push(request)
        if (!request.equals(SSL_REQUEST)) return void socket.destroy()
        socket.write('S')
        const secure = new TLSSocket(socket, { isServer: true, cert: own.certificate, key: own.privateKey })
        secure.on('error', () => undefined)
        secure.once('data', (startup) => {
          received.push(startup.toString('latin1'))
          secure.destroy()
        })
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => {
    received.splice(0)
    inClear.splice(0)
  })
  afterAll(() => {
    server?.close()
  })

  async function connect(host: string, root: string | null): Promise<void> {
    const query = root === null ? '' : `&sslrootcert=${join(folder.path, root)}`
    const database = openDatabase(`postgres://keeper@${host}:${port}/books?sslmode=verify-full${query}`, { max: 1 })
    await expect(database.query('select 1')).rejects.toThrow()
    await database.end()
    expect(inClear).toEqual([SSL_REQUEST])
  }

  it.each(['own.pem', 'both.pem'])('that sslrootcert names is trusted (%s)', async (root) => {
    await connect('127.0.0.1', root)
    expect(received).toEqual([expect.stringContaining('keeper')])
  })

  it.each(['another.pem', 'elsewhere.pem', null])(
    'that it does not name is not (%s): nothing is sent, not even the name of the user',
    async (root) => {
      await connect('127.0.0.1', root)
      expect(received).toEqual([])
    },
  )

  it('that is for another name is not', async () => {
    await connect('localhost', 'own.pem')
    expect(received).toEqual([])
  })
})
