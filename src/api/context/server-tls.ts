import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer as createHttpServer, loadHttps } from '../../egress/node-http.ts'
import { type ChecksLog, checkWhileConnected } from './connection-checks.ts'

/** Certificate with its chain, and its key, both PEM. */
export interface ServerIdentity {
  cert: string
  key: string
}

/** TLS of the servers of this process. */
export interface ServerTls {
  readonly identity: ServerIdentity
  /** Calls `use` with each later identity. */
  onRenewed(use: (identity: ServerIdentity) => void): void
}

/**
 * Versions and cipher suites: Mozilla’s recommendation for all clients of today, with forward secrecy and authenticated
 * encryption only, as in `deploy/proxy`. Source: https://wiki.mozilla.org/Security/Server_Side_TLS
 */
const RECOMMENDED = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ].join(':'),
} as const

/** Milliseconds. */
interface ListenerOptions extends ServerOptions {
  headersTimeout: number
  connectionsCheckingInterval: number
}

/**
 * HTTP server, or an HTTPS server where there is an identity, which answers new connections with the newest one. A
 * handshake has the time of a request’s headers, `headersTimeout` in milliseconds. Deadlines are checked while there are
 * connections.
 */
export function createListener(tls: ServerTls | null, options: ListenerOptions, listener: RequestListener, log: ChecksLog): Server {
  const server = createServer(tls, options, listener)
  checkWhileConnected(server, options.connectionsCheckingInterval, log)
  return server
}

function createServer(tls: ServerTls | null, options: ListenerOptions, listener: RequestListener): Server {
  if (tls === null) return createHttpServer(options, listener)
  const handshakeTimeout = options.headersTimeout
  const server = loadHttps().createServer({ ...options, ...RECOMMENDED, ...tls.identity, handshakeTimeout }, listener)
  tls.onRenewed((identity) => server.setSecureContext({ ...RECOMMENDED, ...identity }))
  return server
}

/** Options of `listen` with which the log names the right scheme: Fastify does not know of a server that it was given. */
export function listenText(tls: ServerTls | null): { listenTextResolver?: (address: string) => string } {
  return tls === null ? {} : { listenTextResolver: (address) => `Server listening at ${address.replace(/^http:/, 'https:')}` }
}
