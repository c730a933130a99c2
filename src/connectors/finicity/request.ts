import type { Static, TSchema } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { peekText, responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { isSuccess } from '../toolkit/http/status-failures.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { HOST_LIMIT_WAIT_MS, isAggregationCode, isFixable, isHostLimit } from './status.ts'
import { TokenAnswer } from './wire.ts'

/** Wait after a 429, which has no Retry-After here. Finicity publishes no limits. */
const RATE_LIMIT_WAIT_MS = 60_000

/**
 * Error codes for refused operator keys: bad credentials, and the lock after five failed attempts.
 * Source: the error list of
 * Mastercard Open Finance US
 */
const KEYS_REFUSED: ReadonlySet<string> = new Set(['10001', '24302'])

/** Error codes for a customer, a login or an account that no longer exists. */
const GONE: ReadonlySet<string> = new Set(['10100', '14001', '14020', '38003'])

/** Error of Finicity with its error code; null when the response has none. */
export class FinicityError extends SourceError {
  readonly code: string | null
  readonly status: number

  constructor(
    kind: SourceError['kind'],
    message: string,
    options: { code: string | null; status: number; waitMs?: number; isKeys: boolean },
  ) {
    super(kind, message, {
      isClientRefused: options.isKeys,
      ...(options.waitMs === undefined ? {} : { retryAfterMs: options.waitMs }),
    })
    this.code = options.code
    this.status = options.status
  }

  /** True when the requested resource has been deleted at Finicity. */
  get isGone(): boolean {
    return this.status === 404 && this.code !== null && GONE.has(this.code)
  }
}

/** API call. Ids in the path are in `ids`, one for each `*`: messages show the path without them. */
export interface Call {
  method?: NonNullable<HttpRequest['method']>
  path: string
  ids?: readonly string[]
  query?: Readonly<Record<string, string>>
  body?: Json
  timeoutMs?: number
  maxBytes?: number
}

/**
 * Sends one call. Any response other than 2xx throws `FinicityError` of the fitting kind. Only authentication works
 * without a token.
 */
export async function callFinicity(kit: Kit, token: string | null, call: Call): Promise<HttpResponse> {
  const { method = 'GET', path, ids = [], query, body, timeoutMs, maxBytes } = call
  const left = [...ids]
  const filled = path.replaceAll('*', () => encodeURIComponent(left.shift() ?? ''))
  const response = await kit.http({
    method,
    url: `${kit.hosts.api ?? ''}${filled}${query ? `?${new URLSearchParams(query)}` : ''}`,
    headers: {
      accept: 'application/json',
      'finicity-app-key': kit.app.appKey ?? '',
      ...(token === null ? {} : { 'finicity-app-token': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
  if (isSuccess(response)) return response
  throw toError(kit, `${method} ${path}`, response)
}

/** Like `callFinicity`, with the response validated against its envelope; a mismatch throws `badData`. */
export async function askFinicity<T extends TSchema>(kit: Kit, token: string | null, call: Call, envelope: T): Promise<Static<T>> {
  return checkEnvelope(envelope, await responseJson(await callFinicity(kit, token, call), call.path), call.path)
}

/**
 * Requests a partner token. Five refusals in a row lock the partner out, so a refusal is reported as one of the
 * operator's keys.
 */
export async function authenticate(kit: Kit): Promise<string> {
  const body = { partnerId: kit.app.partnerId ?? '', partnerSecret: kit.app.partnerSecret ?? '' }
  return (await askFinicity(kit, null, { method: 'POST', path: '/aggregation/v2/partners/authentication', body }, TokenAnswer)).token
}

function toError(kit: Kit, what: string, response: HttpResponse): FinicityError {
  const { status } = response
  const text = peekText(response)
  // Error code, as a number or a text; no other part of a response may reach a message.
  const code = /"code"\s*:\s*"?(\d{1,6})"?\s*[,}]/.exec(text)?.[1] ?? null
  const isKeys = (status === 401 || status === 403) && (text.includes('Finicity-App-Key') || (code !== null && KEYS_REFUSED.has(code)))
  const kind = isKeys ? 'reconnect' : toKind(status, code)
  const told = `Finicity ${what}: ${isKeys ? 'the keys are refused' : `code ${code ?? 'none'}`} (HTTP ${status})`
  const fallbackMs = code !== null && isHostLimit(code) ? HOST_LIMIT_WAIT_MS : RATE_LIMIT_WAIT_MS
  const waitMs = kind === 'rateLimited' ? retryAfterMs(response.headers, kit.now(), fallbackMs) : undefined
  return new FinicityError(kind, told, { code, status, isKeys, ...(waitMs === undefined ? {} : { waitMs }) })
}

function toKind(status: number, code: string | null): SourceError['kind'] {
  if (status === 429) return 'rateLimited'
  if (code !== null) {
    if (isHostLimit(code)) return 'rateLimited'
    if (isFixable(code)) return 'reconnect'
    if (GONE.has(code)) return 'reconnect'
    if (isAggregationCode(code)) return 'unavailable'
  }
  if (status === 401) return 'reconnect'
  return status === 408 || status >= 500 ? 'unavailable' : 'badData'
}
