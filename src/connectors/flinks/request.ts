import type { Static, TSchema } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'
import { peekText, responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { isSuccess } from '../toolkit/http/status-failures.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'

/** Wait after a 429, which has no Retry-After. Flinks publishes no limits. */
const RATE_LIMIT_WAIT_MS = 60_000

/** Error codes that require the owner to act. Source: https://docs.flinks.com/api/authorize/error-codes */
const NEEDS_OWNER: ReadonlySet<string> = new Set([
  'INVALID_LOGIN',
  'INVALID_USERNAME',
  'INVALID_PASSWORD',
  'INVALID_SECURITY_RESPONSE',
  'SECURITYRESPONSES_INCOMPLETE',
  'QUESTION_NOT_FOUND',
  'DISABLED_LOGIN',
  'NEW_ACCOUNT',
  'UNAUTHORIZED',
])

const REASONS: ReasonWords = {
  codeNeeded: ['INVALID_SECURITY_RESPONSE', 'SECURITYRESPONSES_INCOMPLETE', 'QUESTION_NOT_FOUND'],
  loginChanged: ['INVALID_LOGIN', 'INVALID_USERNAME', 'INVALID_PASSWORD', 'DISABLED_LOGIN'],
}

/** Transient error codes: the bank is closed for maintenance, unreachable, or being read by another call. */
const PASSES: ReadonlySet<string> = new Set([
  'RETRY_LATER',
  'AGGREGATION_ERROR',
  'DISABLED_INSTITUTION',
  'MAINTENANCE',
  'BANK_MAINTENANCE_RETRY_LATER',
  'CONCURRENT_SESSION',
  'SESSION_NONEXISTENT',
  'SESSION_EXPIRED',
])

const SESSION_GONE: ReadonlySet<string> = new Set(['SESSION_NONEXISTENT', 'SESSION_EXPIRED'])

/** Error of Flinks with its error code; null when the response has none. */
export class FlinksError extends SourceError {
  readonly code: string | null
  readonly status: number

  constructor(kind: SourceError['kind'], message: string, told: { code: string | null; status: number; waitMs?: number; isKeys: boolean }) {
    super(kind, message, {
      reason: reasonFor(REASONS, told.code),
      isClientRefused: told.isKeys,
      ...(told.waitMs === undefined ? {} : { retryAfterMs: told.waitMs }),
    })
    this.code = told.code
    this.status = told.status
  }

  /** True when the session has expired: a new one has to be opened. */
  get isSessionGone(): boolean {
    return this.code !== null && SESSION_GONE.has(this.code)
  }
}

export interface Call {
  method?: NonNullable<HttpRequest['method']>
  /** Path after `BankingServices`; a `*` is replaced by `id`, which no message shows. */
  path: string
  id?: string
  query?: Readonly<Record<string, string>>
  body?: Json
  /**
   * Authentication. `keys`: the operator's own; a token: for opening one session; by default the session's id in the
   * call is sufficient.
   */
  auth?: 'keys' | { token: string }
  timeoutMs?: number
  maxBytes?: number
}

/** Response of Flinks: 200, 202 for "come again", 203 for "the bank asks something". */
export interface Answer {
  status: 200 | 202 | 203
  response: HttpResponse
  json: { [name: string]: Json }
}

/** Sends one call. Any other status throws `FlinksError` of the fitting kind. */
export async function callFlinks(kit: Kit, call: Call): Promise<Answer> {
  const { method = 'GET', path, id = '', query, body, auth, timeoutMs, maxBytes } = call
  const base = `${kit.hosts.api ?? ''}/v3/${encodeURIComponent(kit.app.customerId ?? '')}/BankingServices`
  const response = await kit.http({
    method,
    url: `${base}${path.replace('*', () => encodeURIComponent(id))}${query ? `?${new URLSearchParams(query)}` : ''}`,
    headers: {
      accept: 'application/json',
      // Some instances require it on every call.
      ...(kit.app.apiKey ? { 'x-api-key': kit.app.apiKey } : {}),
      ...(auth === undefined ? {} : { 'flinks-auth-key': auth === 'keys' ? (kit.app.secretKey ?? '') : auth.token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
  if (!isSuccess(response)) throw toError(kit, call, response, response.status)
  const json = await responseJson(response, path)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new SourceError('badData', `${path}: the answer is no object`)
  // The status is also in the body, and some gateways respond with 200 regardless.
  const said = typeof json.HttpStatusCode === 'number' ? json.HttpStatusCode : response.status
  const status = said === 202 || said === 203 ? said : said >= 400 ? null : 200
  if (status === null) throw toError(kit, call, response, said)
  return { status, response, json }
}

/** Like `callFlinks`, for calls that must be answered at once, with the response validated against its envelope. */
export async function askFlinks<T extends TSchema>(kit: Kit, call: Call, envelope: T): Promise<Static<T>> {
  const { status, json } = await callFlinks(kit, call)
  if (status !== 200)
    throw new SourceError('unavailable', `Flinks ${call.path}: answered ${status}, where an answer at once was to be expected`)
  return checkEnvelope(envelope, json, call.path)
}

function toError(kit: Kit, { method = 'GET', path, auth }: Call, response: HttpResponse, status: number): FlinksError {
  const text = peekText(response)
  // Upper-case words only: no other part of a response may reach a message.
  const code = /"FlinksCode"\s*:\s*"([A-Z][A-Z0-9_ ]{0,60})"/.exec(text)?.[1]?.replaceAll(' ', '_') ?? null
  const isKeys = auth === 'keys' && (status === 401 || status === 403)
  const kind = isKeys ? 'reconnect' : toKind(status, code)
  const told = `Flinks ${method} ${path}: ${isKeys ? 'the keys are refused' : (code ?? 'no code')} (HTTP ${status})`
  const waitMs = kind === 'rateLimited' ? retryAfterMs(response.headers, kit.now(), RATE_LIMIT_WAIT_MS) : undefined
  return new FlinksError(kind, told, { code, status, isKeys, ...(waitMs === undefined ? {} : { waitMs }) })
}

function toKind(status: number, code: string | null): SourceError['kind'] {
  if (status === 429 || code === 'TOO_MANY_REQUESTS') return 'rateLimited'
  if (code !== null && NEEDS_OWNER.has(code)) return 'reconnect'
  if (code !== null && PASSES.has(code)) return 'unavailable'
  if (status === 401) return 'reconnect'
  return status === 408 || status >= 500 ? 'unavailable' : 'badData'
}
