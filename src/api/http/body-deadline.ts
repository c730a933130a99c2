import type { IncomingMessage, RequestListener } from 'node:http'
import type { ClientErrors } from './client-error-handler.ts'

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/**
 * Adds a deadline for bodies, since Node's own (`requestTimeout`) is one for all requests and has to leave uploads
 * their time. A request whose body is incomplete after `bodyMs` is answered with 408, if it has no answer yet, and
 * disconnected.
 */
export function withBodyDeadline(
  listener: RequestListener,
  bodyMs: number,
  { refuseSlow }: Pick<ClientErrors, 'refuseSlow'>,
): RequestListener {
  return (request, response) => {
    if (hasBody(request)) {
      const timer = setTimeout(() => {
        if (request.complete) return
        if (response.headersSent) request.socket.destroy()
        else refuseSlow(request.socket)
      }, bodyMs).unref()
      timers.set(request, timer)
      request.once('close', () => clearTimeout(timer))
    }
    listener(request, response)
  }
}

/** Leaves a request the time that an upload has; for senders who have shown that they may upload. */
export function liftBodyDeadline(request: IncomingMessage): void {
  clearTimeout(timers.get(request))
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
