import type { Static, TSchema } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { isSuccess } from '../toolkit/http/status-failures.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'

const VERSION = 'v20250224'
/** Wait after a 429 without Retry-After. */
const RATE_LIMIT_WAIT_MS = 60_000

export interface MxCall {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Json
}

/** Error of MX with its HTTP status, the only documented part. */
export class MxError extends SourceError {
  readonly status: number

  constructor(kind: SourceError['kind'], message: string, status: number, waitMs?: number) {
    // The operator's keys are the only credentials.
    super(kind, message, { isClientRefused: status === 401, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) })
    this.status = status
  }
}

/** Sends one call with the operator's keys. Any error response throws `MxError` of the fitting kind. */
export async function callMx(kit: Kit, call: MxCall): Promise<HttpResponse> {
  const url = new URL(`${kit.hosts.api ?? ''}${call.path}`)
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  const keys = Buffer.from(`${kit.app.clientId ?? ''}:${kit.app.apiKey ?? ''}`).toString('base64')
  const response = await kit.http({
    method: call.method ?? 'GET',
    url: url.href,
    headers: {
      accept: 'application/json',
      'accept-version': VERSION,
      authorization: `Basic ${keys}`,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  })
  if (isSuccess(response)) return response
  throw toError(kit, call, response)
}

/** Like `callMx`, with the response validated against its envelope; a mismatch throws `badData`. */
export async function askMx<T extends TSchema>(kit: Kit, call: MxCall, envelope: T): Promise<Static<T>> {
  const what = nameOf(call)
  return checkEnvelope(envelope, await responseJson(await callMx(kit, call), what), what)
}

function toError(kit: Kit, call: MxCall, response: HttpResponse): MxError {
  const kind = toKind(response.status)
  const waitMs = kind === 'rateLimited' ? retryAfterMs(response.headers, kit.now(), RATE_LIMIT_WAIT_MS) : undefined
  return new MxError(kind, `MX ${nameOf(call)}: HTTP ${response.status}`, response.status, waitMs)
}

function toKind(status: number): SourceError['kind'] {
  if (status === 401) return 'reconnect'
  if (status === 429) return 'rateLimited'
  // 403: the address of this deployment is not on the operator's allowlist, or the user was disabled; the owner cannot
  // fix it.
  return status === 403 || status >= 500 ? 'unavailable' : 'badData'
}

/** Call without its handles. */
function nameOf({ method, path }: MxCall): string {
  return `${method ?? 'GET'} ${path.replace(/\/(USR|MBR)-[^/]+/g, '/…').replace(/^\/institutions\/.+/, '/institutions/…')}`
}
