import dns from 'node:dns'
import { createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hasOpenssl, makeIdentity } from '../../test/harness/identities.ts'
import type { Identity } from './connector.ts'
import { openPostgres, PostgresRefused } from './postgres.ts'

let server: Server | null = null
const open = new Set<Socket>()
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const socket of open) socket.destroy()
  open.clear()
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
})

/**
 * Server that takes the login, and then neither answers nor closes: as one whose machine is gone.
 * Source: https://www.postgresql.org/docs/18/protocol-message-formats.html (AuthenticationOk, ReadyForQuery)
 */
const openVanished = () => openServer((socket) => void socket.once('data', () => socket.write(LOGGED_IN)))

const LOGGED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

async function openServer(talk: (socket: Socket) => unknown): Promise<number> {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    talk(socket)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return address && typeof address === 'object' ? address.port : 0
}

/** Source: https://www.postgresql.org/docs/18/protocol-error-fields.html */
function errorOf(code: string): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0MSECRET of the server\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

const target = { host: '127.0.0.1', database: 'd', user: 'u', tls: 'off', certificateAuthority: null } as const

/** What we say of a statement that the server refuses with this code. */
async function refusalOf(code: string): Promise<string> {
  const port = await openServer((socket) => {
    socket.once('data', () => {
      socket.write(LOGGED_IN)
      socket.once('data', () => socket.write(Buffer.concat([errorOf(code), Buffer.from([0x5a, 0, 0, 0, 5, 0x49])])))
      socket.once('end', () => socket.end())
    })
  })
  const connection = await openPostgres({ ...target, port }, 'p', true)
  const error = await connection.query('select 1').catch((caught: unknown) => caught)
  for (const socket of open) socket.destroy()
  await connection.close()
  return error instanceof PostgresRefused ? error.message : `not refused: ${String(error)}`
}

it.each([
  ['28000', 'refused the login'],
  ['28P01', 'refused the login'],
  ['3D000', 'no database of this name'],
  ['40001', 'Another transaction'],
  ['40P01', 'Another transaction'],
  ['42501', 'may not do that'],
  ['53100', 'disk'],
  ['53200', 'no memory'],
  ['53300', 'no more connections'],
  ['53400', 'limit of its settings'],
  ['57014', 'too long'],
  ['57P01', 'shutting down'],
  ['57P02', 'shutting down'],
  ['57P03', 'starting'],
  ['25006', 'read-only'],
  ['55P03', 'lock on the tables'],
  ['P0001', 'trigger'],
  ...['23505', '23514', '22001', '22003', '42703', '42804', '42809', '428C9', '42P01', '42P10'].map((code) => [
    code,
    `changed and do not take the rows any more (error ${code})`,
  ]),
  ['XX000', 'answered with error XX000'],
  ['22P02', 'answered with error 22P02'],
  ['123505', 'broke off'],
  ['2350', 'broke off'],
  ['235050', 'broke off'],
])('a statement that the database refuses as %s is told in our own words: %s', async (code, words) => {
  const told = await refusalOf(code)
  expect(told).toContain(words)
  expect(told).not.toContain('SECRET')
})

const UNUSABLE: readonly [string, 'verify' | 'off', (socket: Socket) => unknown, string][] = [
  ['refuses encryption', 'verify', (socket) => socket.once('data', () => socket.write('N')), 'does not offer encryption'],
  ['breaks off', 'off', (socket) => socket.once('data', () => socket.destroy()), 'broke off'],
  ['refuses the login', 'off', (socket) => socket.once('data', () => socket.end(errorOf('28P01'))), 'refused the login'],
]

it.each(UNUSABLE)('a database that %s is told so', async (_what, tls, talk, words) => {
  const port = await openServer(talk)
  await expect(openPostgres({ ...target, tls, port }, 'p', true)).rejects.toThrow(words)
})

describe.skipIf(!hasOpenssl)('an encrypted database (skipped only where openssl is not installed)', () => {
  /** Source: https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-SSL */
  const openEncrypted = ({ certificate, privateKey }: Identity) =>
    openServer((socket) =>
      socket.once('data', () => {
        socket.write('S')
        const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key: privateKey })
        secure.on('error', () => undefined)
        secure.once('data', () => secure.write(LOGGED_IN))
      }),
    )
  const open = async (server: Identity, certificateAuthority: string | null) =>
    await openPostgres({ ...target, tls: 'verify', certificateAuthority, port: await openEncrypted(server) }, 'p', true)

  it.each([
    ['that no authority of ours vouches for', 'IP:127.0.0.1', () => null],
    ['of another host', 'DNS:other.example.com', (own: Identity) => own.certificate],
  ])('with a certificate %s is refused, and told so', async (_what, names, authorityOf) => {
    const own = makeIdentity('database', names)
    await expect(open(own, authorityOf(own))).rejects.toThrow('The certificate of the database is not valid for this host.')
  })

  it('with a certificate of the authority that the customer gave is used', async () => {
    const own = makeIdentity('database')
    const connection = await open(own, own.certificate)
    await connection.close()
  })
})

it('a database inside, or where nobody listens, cannot be reached', async () => {
  const port = await openServer(() => undefined)
  const opening = openPostgres({ ...target, port }, 'p', false)
  await expect(opening).rejects.toThrow('The database cannot be reached.')
  await expect(openPostgres({ ...target, port: 1 }, 'p', true)).rejects.toThrow('The database cannot be reached.')
  expect(open.size).toBe(0)
})

it('a connection to a database that has vanished is closed within its deadline', async () => {
  const port = await openVanished()
  const connection = await openPostgres({ ...target, port }, 'p', true)
  const [socket] = open
  const ended = new Promise((resolve) => socket?.once('end', resolve).resume())
  // The server does not close: only a deadline ends this.
  await connection.close()
  await ended
}, 30_000)

it('the name of a database is not looked up again after its address was checked', async () => {
  const port = await openVanished()
  const lookup = vi.spyOn(dns, 'lookup')
  const connection = await openPostgres({ ...target, host: 'localhost', port }, 'p', true)
  expect(lookup).not.toHaveBeenCalled()
  for (const socket of open) socket.destroy()
  await connection.close()
})

it('a connection that breaks while nobody uses it ends nothing else, and is told at the next statement', async () => {
  const port = await openVanished()
  const connection = await openPostgres({ ...target, port }, 'p', true)
  const [socket] = open
  const closed = new Promise((resolve) => socket?.once('close', resolve))
  socket?.resetAndDestroy()
  await closed
  await expect(connection.query('select 1')).rejects.toThrow('The connection to the database broke off.')
  await connection.close()
})

it('a connection says in the list of connections that it is ours, and is not cut off while its answers are short', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  // A notice of 1 MB, the end of the statement, and of the answer.
  // Source: https://www.postgresql.org/docs/18/protocol-message-formats.html (NoticeResponse, CommandComplete, ReadyForQuery)
  const notice = Buffer.concat([Buffer.from([0x4e, 0, 0x10, 0, 4]), Buffer.alloc(1024 * 1024)])
  const ended = Buffer.concat([Buffer.from([0x43, 0, 0, 0, 11]), Buffer.from('SELECT\0'), LOGGED_IN.subarray(9)])
  let greeting = ''
  const port = await openServer((socket) =>
    socket.once('data', (data) => {
      greeting = data.toString()
      socket.write(LOGGED_IN)
      socket.on('data', () => socket.write(Buffer.concat([notice, ended])))
    }),
  )
  const connection = await openPostgres({ ...target, port }, 'p', true)
  for (let turn = 0; turn < 2; turn += 1) {
    expect((await connection.query('select')).command).toBe('SELECT')
    vi.advanceTimersByTime(5_000)
  }
  expect(greeting).toContain('application_name\0countinghouse\0')
  for (const socket of open) socket.destroy()
  await connection.close()
})

it('a database that answers with more than 64 MB is cut off, at the latest half a second later', async () => {
  // The beginning of a row of 1 GB. Source: https://www.postgresql.org/docs/18/protocol-message-formats.html (DataRow)
  const row = Buffer.concat([Buffer.from([0x44, 0x40, 0, 0, 0]), Buffer.alloc(65 * 1024 * 1024)])
  const port = await openServer((socket) =>
    socket.once('data', () => {
      socket.write(LOGGED_IN)
      socket.once('data', () => socket.write(row))
    }),
  )
  const connection = await openPostgres({ ...target, port }, 'p', true)
  await expect(connection.query('select 1')).rejects.toThrow('The connection to the database broke off.')
  await connection.close()
}, 30_000)
