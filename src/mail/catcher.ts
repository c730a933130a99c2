import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { hasCode } from '../model/error-code.ts'
import type { CaughtMail } from './catcher-server.ts'

/** Mail catcher: accepts every mail and delivers none. */
export interface Catcher {
  url: string
  /** Newest first. */
  list(): CaughtMail[]
  find(key: string): CaughtMail | null
  close(): Promise<void>
}

interface CatcherOptions {
  port: number
  isExact: boolean
  /** Maximum number of mails kept; default 200. */
  most?: number
}

const MAX_MAILS = 200
const LAST_PORT = 65_535
/** Ports tried from the wanted one on; after that any free port. */
const PORTS_TRIED = 20

/**
 * Starts the catcher on loopback: on `port`, or with `isExact: false` on the first free port from there. The SMTP code
 * is loaded with the first mail.
 */
export async function startCatcher(options: CatcherOptions): Promise<Catcher> {
  const mails: CaughtMail[] = []
  const sockets = new Set<Socket>()
  let smtp: Promise<{ take(socket: Socket): void }> | null = null
  const keep = (mail: CaughtMail): void => {
    mails.unshift(mail)
    mails.splice(options.most ?? MAX_MAILS)
  }
  const server = await listenNear(options, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client that disconnects early is not an error of ours.
    socket.on('error', () => undefined)
    smtp ??= import('./catcher-server.ts').then(({ createCatcherServer }) => createCatcherServer(keep))
    smtp.then(
      ({ take }) => take(socket),
      () => socket.destroy(),
    )
  })
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    list: () => [...mails],
    find: (key) => mails.find((mail) => mail.key === key) ?? null,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function listenNear({ port, isExact }: CatcherOptions, onSocket: (socket: Socket) => void): Promise<Server> {
  for (let tried = 0; ; tried += 1) {
    const server = createServer(onSocket)
    const isLast = !isExact && tried === PORTS_TRIED
    const wanted = isLast || port + tried > LAST_PORT ? 0 : port + tried
    server.listen({ host: '127.0.0.1', port: wanted })
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      const isTaken = hasCode(error, 'EADDRINUSE')
      if (!isTaken || isExact || isLast) throw error
    }
  }
}
