import type { Server } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'

const WARNING_EVERY_MS = 60_000

interface ConnectionLimit {
  maxConnections: number
  metrics: Registry
  log: FastifyBaseLogger
  now(): Date
}

/** Limits open sockets of a server: further ones are closed at once, counted, and logged once a minute at most. */
export function limitConnections(server: Server, { maxConnections, metrics, log, now }: ConnectionLimit): void {
  server.maxConnections = maxConnections
  let open = 0
  new Gauge({
    name: 'countinghouse_http_connections',
    help: 'Open connections of clients to the API',
    registers: [metrics],
    collect() {
      this.set(open)
    },
  })
  const refused = new Counter({
    name: 'countinghouse_http_connections_refused_total',
    help: 'Connections closed at once because of MAX_CONNECTIONS',
    registers: [metrics],
  })
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
  })
  let warnedAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    refused.inc()
    const at = now().getTime()
    if (at - warnedAt < WARNING_EVERY_MS) return
    warnedAt = at
    log.warn({ maxConnections }, 'connections are refused: MAX_CONNECTIONS are open')
  })
}
