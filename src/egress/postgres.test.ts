import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openPostgres } from './postgres.ts'

let server: Server | null = null
const open = new Set<Socket>()
afterEach(async () => {
  for (const socket of open) socket.destroy()
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
})

/**
 * Server that takes the login, and then neither answers nor closes: as one whose machine is gone.
 * Source: https://www.postgresql.org/docs/18/protocol-message-formats.html (AuthenticationOk, ReadyForQuery)
 */
async function openVanished(): Promise<number> {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return address && typeof address === 'object' ? address.port : 0
}

it('a connection to a database that has vanished is closed within its deadline', async () => {
  const port = await openVanished()
  const target = { host: '127.0.0.1', port, database: 'd', user: 'u', tls: 'off', certificateAuthority: null } as const
  const connection = await openPostgres(target, 'p', true)
  const [socket] = open
  const closed = new Promise((resolve) => socket?.once('close', resolve))
  // The server does not close: only a deadline ends this.
  await connection.close()
  socket?.end()
  await closed
  expect(socket?.destroyed).toBe(true)
}, 30_000)
