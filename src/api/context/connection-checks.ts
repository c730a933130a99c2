import type { Server } from 'node:http'

export interface ChecksLog {
  warn(fields: object, message: string): void
}

/** Name of the timer at its server. Source: https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js */
const TIMER = 'http.server.connectionsCheckingInterval'

/**
 * Connection checks: has a server check the deadlines of its connections only while it has any, because Node would wake
 * an idle process at each `everyMs` milliseconds for none. The timer of Node is undocumented: where it is not found, it
 * stays as it is, and the log says so.
 */
export function checkWhileConnected(server: Server, everyMs: number, log: ChecksLog): void {
  let check: (() => void) | null = null
  let open = 0
  let timer: NodeJS.Timeout | undefined
  const leave = (): void => {
    open -= 1
    if (open === 0) clearInterval(timer)
  }
  server.on('listening', () => {
    check = takeChecks(server)
    if (check === null)
      log.warn({ node: process.version }, 'this Node keeps its connection checks elsewhere: an idle process wakes more often')
  })
  server.on('connection', (socket) => {
    if (check === null) return
    open += 1
    if (open === 1) timer = setInterval(check, everyMs).unref()
    socket.once('close', leave)
  })
}

/** Stops the timer of Node; returns what it has called, or null where there is none. */
function takeChecks(server: Server): (() => void) | null {
  const key = Object.getOwnPropertySymbols(server).find(({ description }) => description === TIMER)
  const timer: unknown = key && Reflect.get(server, key)
  if (!isTimer(timer)) return null
  // Read before it is stopped, which removes it.
  const check = timer._onTimeout
  clearInterval(timer)
  return () => check.call(timer)
}

function isTimer(value: unknown): value is NodeJS.Timeout {
  return typeof value === 'object' && value !== null && '_onTimeout' in value && typeof value._onTimeout === 'function'
}
