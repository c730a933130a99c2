import { isPlainAllowed } from '../../../egress/allowed-hosts.ts'
import type { Egress, EgressResponse } from '../../../egress/egress.ts'
import { EgressError } from '../../../egress/egress-error.ts'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../../contract/contract.ts'
import { decompress, isCompressed } from './compression.ts'

export interface KitOptions {
  egress: Egress
  app: Readonly<Record<string, string>>
  hosts: Readonly<Record<string, string>>
  now(): Date
  /**
   * Allows the source's own `hosts` on loopback or in a private network: simulators, or a source of the operator; and
   * plain http for addresses typed by an owner, which otherwise stay guarded.
   */
  allowPrivate: boolean
}

/** Thrown before anything is sent: over http, anyone on the network path could read an owner's password and data. */
export class PlainHttpRefused extends SourceError {
  constructor(what: string) {
    super('unavailable', `${what}: an address that the operator has not set has to begin with https://`)
  }
}

/** Deadline of a whole request. */
export const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024

/** Kit of one source. Responses of `http` are decompressed; `maxBytes` applies before and after. */
export function createKit(options: KitOptions): Kit {
  return { app: options.app, hosts: options.hosts, now: () => options.now(), http: (request) => fetchAnswer(options, request) }
}

async function fetchAnswer(options: KitOptions, request: HttpRequest): Promise<HttpResponse> {
  const [host = null] = hostNamesOf(options.hosts, request.url)
  const what = `${request.method ?? 'GET'} ${host ?? 'source'}`
  const maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES
  if (!(options.allowPrivate && isPlainAllowed()) && host === null && !/^https:/i.test(request.url)) throw new PlainHttpRefused(what)
  const response = await send(options, request, what, maxBytes, options.allowPrivate && host !== null)
  if (response.truncated) throw tooLarge(what, maxBytes)
  return isCompressed(response)
    ? await unpack(response, what, maxBytes)
    : { status: response.status, headers: response.headers, body: response.body }
}

async function send(
  options: KitOptions,
  request: HttpRequest,
  what: string,
  maxBytes: number,
  allowPrivate: boolean,
): Promise<EgressResponse> {
  const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS
  try {
    return await options.egress.request({
      method: request.method ?? 'GET',
      url: request.url,
      headers: { 'accept-encoding': 'gzip', 'user-agent': 'Countinghouse', ...lowerCased(request.headers ?? {}) },
      ...(request.body === undefined ? {} : { body: request.body }),
      timeoutMs,
      maxBytes,
      allowPrivate,
      ...(request.identity ? { identity: request.identity } : {}),
    })
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const reason = error.failure === 'timeout' ? `no complete answer within ${timeoutMs} ms` : error.message
    throw new SourceError('unavailable', `${what}: ${reason}`, { cause: error })
  }
}

async function unpack(response: EgressResponse, what: string, maxBytes: number): Promise<HttpResponse> {
  const { 'content-encoding': _coding, 'content-length': _length, ...headers } = response.headers
  const unpacked = await decompress(response, maxBytes)
  if (unpacked === 'tooLarge') throw tooLarge(what, maxBytes)
  if (unpacked === 'broken') throw new SourceError('unavailable', `${what}: the compressed answer is broken`)
  return { status: response.status, headers, body: unpacked }
}

/** Names of the source's hosts with this URL: several in a sandbox, none for addresses from elsewhere. */
export function hostNamesOf(hosts: Readonly<Record<string, string>>, url: string): string[] {
  const origin = originOf(url)
  return Object.keys(hosts).filter((name) => origin !== null && originOf(hosts[name] ?? '') === origin)
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function tooLarge(what: string, maxBytes: number): SourceError {
  return new SourceError('unavailable', `${what}: the answer is larger than ${maxBytes} bytes`)
}
