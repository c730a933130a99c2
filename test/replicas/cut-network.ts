import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Way to a server that can be cut: then bytes go nowhere, and nobody is told, as when a cable is pulled. */
export class CutNetwork {
  readonly #sockets = new Set<Socket>()
  readonly #server
  #isCut = false
  #isCutForNew = false
  #cutAtText: string | null = null

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1')
      const isDead = this.#isCutForNew
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.on('error', () => to.destroy())
        from.on('close', () => {
          this.#sockets.delete(from)
          if (!this.#isCut) to.destroy()
        })
        from.on('data', (bytes) => {
          if (from === near && this.#cutAtText !== null && bytes.includes(this.#cutAtText)) this.#isCut = true
          if (!this.#isCut && !isDead) to.write(bytes)
        })
      }
    })
  }

  /** Address of this machine by which the server is reached from now on. */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
  }

  /** Cuts new connections only: those that are open go on. */
  cutForNew(): void {
    this.#isCutForNew = true
  }

  /** Cuts everything once a client sends this text. */
  cutAt(text: string): void {
    this.#cutAtText = text
  }

  /** Connections from before the cut are lost. */
  heal(): void {
    this.#isCut = false
    this.#isCutForNew = false
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.heal()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
