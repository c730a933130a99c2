import { lookup as lookupName } from 'node:dns/promises'
import type { Agent, Dispatcher } from 'undici'
import type { Reach } from './address.ts'
import type { Agents } from './agents.ts'
import { readBody } from './body.ts'
import type { Identity, Lookup } from './connector.ts'
import { EgressError, nameOf } from './egress-error.ts'
import { toTarget } from './target.ts'

export interface EgressOptions {
  /** Sandbox: allows loopback and private networks, on any port. Cloud metadata addresses stay blocked. */
  allowPrivate: boolean
  /** Allowed ports of public targets; default 80 and 443. */
  allowedPorts?: readonly number[]
  /** Deadline of lookup, connect and TLS handshake together; default 5 s. */
  connectTimeoutMs?: number
  /** Certificate authorities in PEM that replace those of Node.js. */
  ca?: readonly string[]
  /** While true every request fails as `closed`, before any lookup. */
  isClosed?(): Promise<boolean>
  /** Resolves all addresses of a name; default: the system's resolver. */
  lookup?: Lookup
}

export interface EgressRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Hard deadline of the whole request, body included. */
  timeoutMs: number
  /** Maximum bytes read of the body, counted as transferred. */
  maxBytes: number
  /**
   * Allows loopback and private networks for this request alone: its host was named by the operator, not by a customer.
   */
  allowPrivate?: boolean
  /** Client certificate for servers that request one over TLS. Invalid PEM makes the address unreachable. */
  identity?: Identity
  signal?: AbortSignal
}

export interface EgressResponse {
  status: number
  /** Lower-case names; values of a repeated header are joined by `, `. */
  headers: Record<string, string>
  /** As transferred, never decompressed. */
  body: Uint8Array
  /** Whether the body is longer than `maxBytes`. */
  truncated: boolean
}

/** Guarded HTTP client, the only way out to the network. Redirects are not followed. */
export interface Egress {
  /** Throws `EgressError`. */
  request(request: EgressRequest): Promise<EgressResponse>
  close(): Promise<void>
}

const DEFAULT_PORTS = [80, 443]
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000

/**
 * Headers that frame a message: setting them can make two sides disagree on its end or its target (request smuggling).
 */
const RESERVED_HEADERS = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i

export function createEgress(options: EgressOptions): Egress {
  let opening: Promise<Record<Reach, Agents>> | null = null
  let isDestroyed = false
  return {
    request: async (request) => {
      if (await options.isClosed?.()) throw new EgressError('closed')
      const reach = options.allowPrivate || request.allowPrivate ? 'private' : 'public'
      if (isDestroyed) throw new EgressError('unreachable')
      opening ??= openAgents(options)
      const agents = await opening
      return await send(agents[reach].get(request.identity), reach, options.allowedPorts ?? DEFAULT_PORTS, request)
    },
    close: async () => {
      isDestroyed = true
      if (opening !== null) await Promise.all(Object.values(await opening).map((each) => each.destroy()))
    },
  }
}

/**
 * Separate pools per reach, so that no request uses a socket it could not have opened. Loads the HTTP client, which
 * takes some 10 MB: a process that calls nobody goes without.
 */
async function openAgents(options: EgressOptions): Promise<Record<Reach, Agents>> {
  const { Agents } = await import('./agents.ts')
  const rules = {
    lookup: options.lookup ?? ((name: string) => lookupName(name, { all: true })),
    timeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    ...(options.ca ? { ca: options.ca } : {}),
  }
  return { public: new Agents({ reach: 'public', ...rules }), private: new Agents({ reach: 'private', ...rules }) }
}

async function send(agent: Agent, reach: Reach, ports: readonly number[], request: EgressRequest): Promise<EgressResponse> {
  const target = toTarget(request.url, { reach, ports })
  for (const name of Object.keys(request.headers ?? {})) {
    if (RESERVED_HEADERS.test(name)) throw new Error(`the header ${name} is set by the connection`)
  }
  const deadline = AbortSignal.timeout(request.timeoutMs)
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline
  let body: Dispatcher.ResponseData['body'] | undefined
  try {
    const response = await agent.request({
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      method: request.method ?? 'GET',
      headers: { ...request.headers },
      body: request.body ?? null,
      signal,
    })
    body = response.body
    const read = await readBody(body, request.maxBytes)
    return { status: response.statusCode, headers: toHeaders(response.headers), ...read }
  } catch (error) {
    throw toEgressError(error, deadline, request.signal, body !== undefined)
  }
}

function toHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) kept[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return kept
}

function toEgressError(error: unknown, deadline: AbortSignal, cancel: AbortSignal | undefined, answered: boolean): EgressError {
  if (error instanceof EgressError) return error
  if (cancel?.aborted) return new EgressError('cancelled', error)
  if (deadline.aborted) return new EgressError('timeout', error)
  return new EgressError(answered || isCut(error) ? 'cut' : 'unreachable', error)
}

/** Error after connecting: the other side closed the connection, or its response is not HTTP. */
function isCut(error: unknown): boolean {
  return /HTTPParserError|UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_/.test(nameOf(error))
}
