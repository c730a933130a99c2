import { connect, type Socket } from 'node:net'
import { serveTcp } from '../../src/egress/loopback-server.ts'

export const FAULTS = ['reset', 'empty', 'malformedChunk', 'hang', 'halfBody', 'slowDrip', 'html', 'resetMidway'] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultProxy {
  url: string
  /** Faults for the next requests, in order; later requests pass. */
  next: Fault[]
  /** Number of requests so far. */
  seen: number
  close(): Promise<void>
}

const DRIP_MS = 50
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/**
 * Proxy in front of a server on loopback that breaks single requests at the level of bytes. Each connection carries
 * one request.
 */
export async function openFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const proxy: Omit<FaultProxy, 'url' | 'close'> = { next: [], seen: 0 }
  const timers = new Set<NodeJS.Timeout>()
  const server = await serveTcp((socket) => {
    let fault: Fault | undefined
    let isFirst = true
    const behind = connect(Number(port), hostname)
    behind.on('error', () => socket.destroy())
    socket.on('close', () => behind.destroy())
    socket.on('data', (bytes) => {
      if (isFirst) {
        proxy.seen += 1
        fault = proxy.next.shift()
        isFirst = false
        if (fault !== undefined && fault !== 'halfBody' && fault !== 'resetMidway') applyFault(socket, fault, timers)
      }
      // The server receives a request whose answer is cut, so its effect is then unknown.
      if (fault === undefined || fault === 'halfBody' || fault === 'resetMidway') behind.write(bytes)
    })
    behind.on('data', (bytes: Buffer) => {
      if (fault === undefined) return void socket.write(bytes)
      socket.write(bytes.subarray(0, Math.max(1, Math.floor(bytes.length * 0.7))))
      if (fault === 'resetMidway') socket.resetAndDestroy()
      else socket.end()
    })
    behind.on('end', () => socket.end())
  })
  return Object.assign(proxy, {
    url: server.url,
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      await server.close()
    },
  })
}

function applyFault(socket: Socket, fault: Fault, timers: Set<NodeJS.Timeout>): void {
  if (fault === 'reset') socket.resetAndDestroy()
  else if (fault === 'empty') socket.end()
  else if (fault === 'malformedChunk') socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nnot a length\r\n[]\r\n`)
  else if (fault === 'html') socket.end(`${HEAD}content-length: 24\r\nconnection: close\r\n\r\n<html>Maintenance</html>`)
  else if (fault === 'slowDrip') {
    socket.write(`${HEAD}content-length: 100000\r\n\r\n`)
    const timer = setInterval(() => socket.write(' '), DRIP_MS)
    timers.add(timer)
    socket.on('close', () => clearInterval(timer))
  }
  // hang: never answers
}
