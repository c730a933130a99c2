import { lookup } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { guardedConnector } from './connector.ts'

/**
 * TCP connection to an address that a customer gave, for protocols other than HTTP: internal addresses are blocked
 * unless the deployment allows them. Throws `EgressError`.
 */
export function openGuardedSocket(hostname: string, port: number, options: { allowPrivate: boolean; timeoutMs: number }): Promise<Socket> {
  const open = guardedConnector({
    reach: options.allowPrivate ? 'private' : 'public',
    lookup: (name) => lookup(name, { all: true }),
    timeoutMs: options.timeoutMs,
  })
  return new Promise((resolve, reject) => {
    open({ hostname, host: hostname, port: String(port), protocol: 'tcp:' }, (error, socket) => {
      if (error) reject(error)
      else resolve(socket as Socket)
    })
  })
}
