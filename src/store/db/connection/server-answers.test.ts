import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { answersOf } from './server-answers.ts'

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const servers: Server[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) {
    server.close()
    await once(server, 'close')
  }
})

/** A server that does this with each connection; `asked` is what it was sent first. */
async function serve(answer: (socket: Socket) => void) {
  const asked: Buffer[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      asked.push(Buffer.from(bytes))
      answer(socket)
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  return { address: { host: '127.0.0.1', port }, asked }
}

it('a server that answers the question for encryption, with any byte, answers', async () => {
  const { address, asked } = await serve((socket) => socket.write('N'))
  expect([await answersOf(address), await answersOf(address)]).toEqual([true, true])
  expect(asked).toEqual([SSL_REQUEST, SSL_REQUEST])
})

it('a server that closes the connection, and an address where none is, do not', async () => {
  const { address } = await serve((socket) => socket.destroy())
  expect(await answersOf(address)).toBe(false)
  const [server] = servers
  server?.close()
  if (server) await once(server, 'close')
  servers.length = 0
  expect(await answersOf(address)).toBe(false)
})

it('callers at the same time share a question, for each server its own', async () => {
  const [first, second] = [await serve((socket) => socket.write('N')), await serve((socket) => socket.destroy())]
  expect(await Promise.all([first, first, second, first].map(({ address }) => answersOf(address)))).toEqual([true, true, false, true])
  expect([first.asked.length, second.asked.length]).toEqual([1, 1])
  expect([await answersOf(first.address), first.asked.length]).toEqual([true, 2])
})

it('the connection of a question is closed', async () => {
  const { address } = await serve((socket) => socket.write('S'))
  await answersOf(address)
  const [socket] = sockets
  if (socket && !socket.destroyed) await once(socket, 'close')
  expect(socket?.destroyed).toBe(true)
})
