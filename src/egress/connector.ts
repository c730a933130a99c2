import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { isAllowedAddress, type Reach } from './address.ts'
import { isAllowedHost, isPlainAllowed } from './allowed-hosts.ts'
import { EgressError } from './egress-error.ts'
import { hostOf, portOf } from './target.ts'

/** Resolves all addresses of a name, as `dns.promises.lookup` does with `all: true`. */
export type Lookup = (name: string) => Promise<LookupAddress[]>

/** Client certificate and its key, both in PEM. */
export interface Identity {
  certificate: string
  privateKey: string
}

export interface ConnectRules {
  reach: Reach
  lookup: Lookup
  /** Deadline of lookup, connect and TLS handshake together. */
  timeoutMs: number
  /** Certificate authorities in PEM; default: those of Node.js. */
  ca?: readonly string[]
  /** For servers that request a client certificate. */
  identity?: Identity
}

/**
 * SSRF guard: no DNS answer can lead to a private network. Every address of the name must be allowed, the connection
 * uses one of these addresses, and the peer is checked again before the first byte is written. Where the operator has
 * listed destinations, the host must be one of them.
 * NOTE: a `lookup` hook alone is not sufficient, because Node.js never calls it for an IP address.
 */
export function guardedConnector(rules: ConnectRules): buildConnector.connector {
  return (options, callback) => {
    const deadline = AbortSignal.timeout(rules.timeoutMs)
    connectGuarded(options, rules, deadline).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(toFailure(error, deadline), null),
    )
  }
}

async function connectGuarded(options: buildConnector.Options, rules: ConnectRules, deadline: AbortSignal): Promise<Socket | TLSSocket> {
  if (options.protocol === 'http:' && !isPlainAllowed()) throw new EgressError('notEncrypted')
  const host = hostOf(options)
  const addresses = await beforeDeadline(allowedAddresses(host, rules), deadline)
  const socket = connectTcp({
    ...{ host, port: portOf(options) },
    lookup: answerWith(addresses),
    // Tries one address after another, and so asks for all of them.
    autoSelectFamily: true,
    noDelay: true,
  })
  await reached(socket, 'connect', deadline)
  if (!isAllowedAddress(socket.remoteAddress ?? '', rules.reach)) {
    socket.destroy()
    throw new EgressError('unreachable')
  }
  return options.protocol === 'https:' ? await secure(socket, host, rules, deadline) : socket
}

async function allowedAddresses(host: string, rules: ConnectRules): Promise<LookupAddress[]> {
  const family = isIP(host)
  const addresses = family === 0 ? await rules.lookup(host) : [{ address: host, family }]
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowedAddress(address, rules.reach)))
    throw new EgressError('unreachable')
  const isListed = isAllowedHost(
    host,
    addresses.map(({ address }) => address),
  )
  if (!isListed) throw new EgressError('notListed')
  return addresses
}

/** Lookup function that returns all checked addresses, whatever the name resolves to by now. */
function answerWith(addresses: LookupAddress[]): LookupFunction {
  return (_name, _options, callback) => callback(null, addresses)
}

async function secure(socket: Socket, host: string, rules: ConnectRules, deadline: AbortSignal): Promise<TLSSocket> {
  const tls = startTls(socket, host, rules)
  await reached(tls, 'secureConnect', deadline)
  return tls
}

function startTls(socket: Socket, host: string, rules: ConnectRules): TLSSocket {
  try {
    return connectTls({
      socket,
      host,
      // An IP address is not a server name; its certificate is checked against `host`.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(rules.ca ? { ca: [...rules.ca] } : {}),
      ...(rules.identity ? { cert: rules.identity.certificate, key: rules.identity.privateKey } : {}),
    })
  } catch (error) {
    // The identity is not valid PEM.
    socket.destroy()
    throw error
  }
}

/** Waits for a socket's event; destroys the socket on failure or timeout. */
async function reached(socket: Socket, event: 'connect' | 'secureConnect', deadline: AbortSignal): Promise<void> {
  try {
    await once(socket, event, { signal: deadline })
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function beforeDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(new EgressError('timeout'))
  deadline.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, late.promise])
  } finally {
    deadline.removeEventListener('abort', giveUp)
  }
}

function toFailure(error: unknown, deadline: AbortSignal): EgressError {
  if (error instanceof EgressError) return error
  return new EgressError(deadline.aborted ? 'timeout' : 'unreachable', error)
}
