import https from 'node:https'
import net from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Redirects calls for the given hosts to a simulator on loopback, through the default agent of `node:https`, since the
 * official clients have their hosts built in. Nothing is encrypted on the way, and any other host is refused.
 */
export function leadToSimulator(hosts: readonly string[], simulatorUrl: string): { end(): void; refused: readonly string[] } {
  const before = https.globalAgent
  const { port } = new URL(simulatorUrl)
  const refused: string[] = []
  class LoopbackAgent extends https.Agent {
    override createConnection(options: net.NetConnectOpts & { host?: string }): Duplex {
      const host = options.host ?? ''
      if (hosts.includes(host)) return net.connect({ host: '127.0.0.1', port: Number(port) })
      refused.push(host)
      throw new Error(`the client called ${host}`)
    }
  }
  https.globalAgent = new LoopbackAgent({ keepAlive: false })
  return {
    refused,
    end: () => {
      https.globalAgent.destroy()
      https.globalAgent = before
    },
  }
}
