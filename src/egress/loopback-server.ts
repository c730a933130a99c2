import type { RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer } from './node-http.ts'

/** Test server on a free port of 127.0.0.1. */
export interface LoopbackServer {
  url: string
  close(): Promise<void>
}

export function serveHttp(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener)
  return started(server, () => server.closeAllConnections())
}

/** Passes on each raw connection, for responses that are not HTTP. */
export function serveTcp(talk: (socket: Socket) => void): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    talk(socket)
  })
  return started(server, () => {
    for (const socket of sockets) socket.destroy()
  })
}

function started(server: Server, cutConnections: () => void): Promise<LoopbackServer> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('the server has no port'))
      resolve({
        url: `http://127.0.0.1:${address.port}`,
        close: async () => {
          cutConnections()
          await new Promise((closed) => server.close(closed))
        },
      })
    })
  })
}
