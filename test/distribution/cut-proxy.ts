import { connect, createServer, type Socket } from 'node:net'

/** What stands between a coordinator and a node. */
export interface CutProxy {
  port: number
  /** Calls `onSeen` when the coordinator sends this text next, which then does not arrive; all connections are closed. */
  cutAt(text: string, onSeen: () => void): void
  close(): Promise<void>
}

/** A proxy on loopback that passes everything on, until it is told to cut. NOTE a text that spans two packets is not seen. */
export async function openCutProxy(target: number): Promise<CutProxy> {
  const sockets = new Set<Socket>()
  let cut: { text: string; onSeen: () => void } | null = null
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        from.destroy()
        to.destroy()
      })
    }
    from.on('data', (packet) => {
      if (cut === null || !packet.includes(cut.text)) {
        to.write(packet)
        return
      }
      const { onSeen } = cut
      cut = null
      onSeen()
      cutAll()
    })
    to.on('data', (packet) => from.write(packet))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address !== 'object') throw new Error('the proxy has no port')
  return {
    port: address.port,
    cutAt: (text, onSeen) => {
      cut = { text, onSeen }
    },
    close: async () => {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
