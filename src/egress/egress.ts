import { lookup as lookupName } from 'node:dns/promises'
import type { Agent, Dispatcher } from 'undici'
import type { Reach } from './address.ts'
import { Agents } from './agents.ts'
import { readBody } from './body.ts'
import type { Identity, Lookup } from './connector.ts'
import { EgressError, nameOf } from './egress-error.ts'
import { toTarget } from './target.ts'

export interface EgressOptions {
  /** Lets requests into loopback and private networks, on any port: the sandbox. Addresses at which clouds hand out credentials stay closed. */
  allowPrivate: boolean
  /** Ports of public targets; 80 and 443 when left out. */
  allowedPorts?: readonly number[]
  /** For lookup, connect and TLS handshake together; 5 s when left out. */
  connectTimeoutMs?: number
  /** Certificate authorities in PEM that replace those of Node.js. */
  ca?: readonly string[]
  /** All addresses of a name; the system's resolver when left out. */
  lookup?: Lookup
}

export interface EgressRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Hard end of the whole request, body included. */
  timeoutMs: number
  /** No more of the body is read, counted as it travels. */
  maxBytes: number
  /** Opens loopback and private networks for this request alone: its host was named by the operator, not by a customer. */
  allowPrivate?: boolean
  /** Shown to a server that asks for a certificate over TLS. One that is no PEM makes the address unreachable. */
  identity?: Identity
  signal?: AbortSignal
}

export interface EgressResponse {
  status: number
  /** Names in lower case; values of a repeated header joined by `, `. */
  headers: Record<string, string>
  /** As it travelled, never decompressed. */
  body: Uint8Array
  /** Whether the body goes on after `maxBytes`. */
  truncated: boolean
}

/** The one guarded way out. Redirects are answers like any other. */
export interface Egress {
  /** Throws `EgressError`. */
  request(request: EgressRequest): Promise<EgressResponse>
  close(): Promise<void>
}

const DEFAULT_PORTS = [80, 443]
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000

/** Headers that frame a message: whoever sets them can make two sides disagree on where it ends or whom it is for. */
const RESERVED_HEADERS = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i

export function createEgress(options: EgressOptions): Egress {
  // Pools for each reach, so that no request is sent over a socket that it could not have opened.
  const agents: Record<Reach, Agents> = { public: createAgents('public', options), private: createAgents('private', options) }
  return {
    request: (request) => {
      const reach = options.allowPrivate || request.allowPrivate ? 'private' : 'public'
      return send(agents[reach].get(request.identity), reach, options.allowedPorts ?? DEFAULT_PORTS, request)
    },
    close: async () => {
      await Promise.all(Object.values(agents).map((each) => each.destroy()))
    },
  }
}

function createAgents(reach: Reach, options: EgressOptions): Agents {
  return new Agents({
    reach,
    lookup: options.lookup ?? ((name) => lookupName(name, { all: true })),
    timeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    ...(options.ca ? { ca: options.ca } : {}),
  })
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

/** Errors after the connection stood: the other side closed it, or what it sent is no HTTP. */
function isCut(error: unknown): boolean {
  return /HTTPParserError|UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_/.test(nameOf(error))
}
