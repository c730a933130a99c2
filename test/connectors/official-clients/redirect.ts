import https from 'node:https'
import net from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Leads calls to the named hosts to a simulator on loopback, by the agent that every client of `node:https` uses unless told otherwise; the
 * official clients have their hosts built in. Nothing is encrypted on this way, and any other host is refused.
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
      throw new Error(`the judge called ${host}`)
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
