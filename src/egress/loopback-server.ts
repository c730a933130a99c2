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

/** Server for raw connections, for responses that are not HTTP. */
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

/** Servers of a test file, which are closed together. */
export class LoopbackServers {
  readonly #servers: LoopbackServer[] = []

  /** Starts a server; returns its URL. */
  async http(listener: RequestListener): Promise<string> {
    return this.#add(await serveHttp(listener))
  }

  /** The same for raw connections. */
  async tcp(talk: (socket: Socket) => void): Promise<string> {
    return this.#add(await serveTcp(talk))
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.close()))
  }

  #add(server: LoopbackServer): string {
    this.#servers.push(server)
    return server.url
  }
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
