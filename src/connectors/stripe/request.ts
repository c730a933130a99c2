import type { Static, TSchema } from 'typebox'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { peekText, responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'

const VERSION = '2026-10-28.endive'
/** Wait after a 429, which has no Retry-After. Source: https://docs.stripe.com/rate-limits */
const RATE_LIMIT_WAIT_MS = 5_000

/** Error of Stripe with its error code; null when the response has none. */
export class StripeError extends SourceError {
  readonly status: number
  readonly code: string | null
  /** Request parameter that the error is about. */
  readonly param: string | null

  constructor(
    kind: SourceError['kind'],
    message: string,
    told: { status: number; code: string | null; param: string | null; isClientRefused: boolean; waitMs?: number },
  ) {
    super(kind, message, { isClientRefused: told.isClientRefused, ...(told.waitMs === undefined ? {} : { retryAfterMs: told.waitMs }) })
    this.status = told.status
    this.code = told.code
    this.param = told.param
  }

  /** True when the row after which the page begins is gone: the list has to be read from its beginning. */
  get isCursorGone(): boolean {
    return this.code === 'resource_missing' && this.param === 'starting_after'
  }
}

/** Query or form parameters. A list is repeated as `name[]`; undefined ones are left out. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

export interface StripeCall {
  method?: 'GET' | 'POST'
  path: string
  parameters?: Parameters
  /**
   * Idempotency key: two calls with the same key within a day count as one.
   * Source: https://docs.stripe.com/api/idempotent_requests
   */
  idempotencyKey?: string
}

/**
 * Sends one call with the operator's secret key. Any response other than 200 throws `StripeError` of the fitting kind.
 */
export async function callStripe(kit: Kit, call: StripeCall): Promise<HttpResponse> {
  const { method = 'GET', path, parameters = {}, idempotencyKey } = call
  const encoded = encode(parameters)
  const isPost = method === 'POST'
  const response = await kit.http({
    method,
    url: `${kit.hosts.api ?? ''}${path}${isPost || encoded === '' ? '' : `?${encoded}`}`,
    headers: {
      authorization: `Bearer ${kit.app.secretKey ?? ''}`,
      'stripe-version': VERSION,
      ...(isPost ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(isPost ? { body: encoded } : {}),
  })
  if (response.status === 200) return response
  throw toError(kit, path, response)
}

/** Like `callStripe`, with the response validated against its envelope; a mismatch throws `badData`. */
export async function askStripe<T extends TSchema>(kit: Kit, call: StripeCall, envelope: T): Promise<Static<T>> {
  const what = shapeOf(call.path)
  return checkEnvelope(envelope, await responseJson(await callStripe(kit, call), what), what)
}

function encode(parameters: Parameters): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'string') search.set(name, value)
    else for (const each of value ?? []) search.append(`${name}[]`, each)
  }
  return search.toString()
}

/** Source: https://docs.stripe.com/error-handling and https://docs.stripe.com/error-codes */
function toError(kit: Kit, path: string, response: HttpResponse): StripeError {
  const { status } = response
  const text = peekText(response)
  const code = readWord(text, 'code')
  const type = readWord(text, 'type')
  const param = readWord(text, 'param')
  // Key invalid or with too few permissions: the account's owner cannot fix it.
  const isClientRefused = (status === 401 && type !== null) || (status === 403 && type !== null) || code === 'api_key_expired'
  const kind = isClientRefused ? 'unavailable' : toKind(status, code, param)
  const waitMs = kind === 'rateLimited' ? { waitMs: retryAfterMs(response.headers, kit.now(), RATE_LIMIT_WAIT_MS) } : {}
  return new StripeError(kind, `Stripe ${shapeOf(path)}: ${type ?? 'no error type'} / ${code ?? 'no error code'} (HTTP ${status})`, {
    status,
    code,
    param,
    isClientRefused,
    ...waitMs,
  })
}

/** Error codes that the owner has to resolve: the accounts were revoked, or the bank requires a new login. */
const NEEDS_OWNER: ReadonlySet<string> = new Set(['financial_connections_account_inactive', 'account_disconnected', 'resource_missing'])

function toKind(status: number, code: string | null, param: string | null): SourceError['kind'] {
  if (status === 429 || code === 'rate_limit' || code === 'lock_timeout') return 'rateLimited'
  if (status === 401 || status === 403) return 'reconnect'
  if (code !== null && NEEDS_OWNER.has(code)) return param === 'starting_after' ? 'badData' : 'reconnect'
  if (status >= 500 || status === 409 || code === 'financial_connections_institution_unavailable') return 'unavailable'
  return 'badData'
}

/** Lower-case words only: no other part of a response may reach a message. */
function readWord(text: string, name: string): string | null {
  return new RegExp(`"${name}"\\s*:\\s*"([a-z][a-z_]{0,79})"`).exec(text)?.[1] ?? null
}

/** Path with its ids removed. */
function shapeOf(path: string): string {
  return path.replace('/v1', '').replace(/\/[a-z]+_[A-Za-z0-9_]+(?=\/|$)/g, (part) => (part === '/financial_connections' ? part : '/…'))
}
