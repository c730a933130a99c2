import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connectionOf } from '../../src/store/db/connection/database-url.ts'

/**
 * Proxy on a TCP port in front of a test database, which is reached by a socket file that only this user may use: it can be
 * silent, or gone.
 */
export class DatabaseProxy {
  /** Address of the database by way of this port. */
  readonly url: string
  readonly port: number
  readonly host: string
  /** Connections that were ever made. */
  opened = 0
  /** Passes on nothing that the server says, to anyone. */
  isSilent = false
  readonly #server: Server
  readonly #near: Set<Socket>

  private constructor(url: string, host: string, server: Server, near: Set<Socket>) {
    const { user, database } = connectionOf(url)
    this.#server = server
    this.#near = near
    this.host = host
    this.port = (server.address() as AddressInfo).port
    this.url = `postgres://${user}@${this.address}/${database}`
  }

  /** Host and port as in an address. */
  get address(): string {
    return `${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#near.size
  }

  static async open(url: string, host = '127.0.0.1'): Promise<DatabaseProxy> {
    const { host: folder = '', port } = connectionOf(url)
    const near = new Set<Socket>()
    const server = createServer((socket) => {
      const far = connect(`${folder}/.s.PGSQL.${port}`)
      near.add(socket)
      proxy.opened += 1
      socket.on('close', () => near.delete(socket))
      for (const [end, other] of [
        [socket, far],
        [far, socket],
      ] as const) {
        end.on('error', () => other.destroy())
        end.on('close', () => other.destroy())
      }
      socket.pipe(far)
      far.on('data', (bytes) => {
        if (!proxy.isSilent) socket.write(bytes)
      })
    })
    server.listen(0, host)
    await once(server, 'listening')
    const proxy: DatabaseProxy = new DatabaseProxy(url, host, server, near)
    return proxy
  }

  /** Breaks the connections that are open. */
  cut(): void {
    for (const socket of this.#near) socket.destroy()
  }

  /** Takes no connections from now on; those that are open go on. */
  shut(): void {
    if (this.#server.listening) this.#server.close()
  }

  /** Takes connections again, at the same port. */
  async reopen(): Promise<void> {
    if (this.#server.listening) return
    this.#server.listen(this.port, this.host)
    await once(this.#server, 'listening')
  }

  close(): void {
    this.cut()
    this.shut()
  }
}
