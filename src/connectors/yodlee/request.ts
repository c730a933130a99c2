import type { Static, TSchema } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { isSuccess } from '../toolkit/http/status-failures.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { TokenAnswer } from './wire.ts'

/** Wait after a 429 without Retry-After. */
const RATE_LIMIT_WAIT_MS = 60_000
/** Margin before expiry: a token is not used in its last minute. */
const MARGIN_MS = 60_000

/**
 * Error codes of the token request about the operator's keys or the request itself.
 * Source: 400 and 401 of POST /auth/token in Yodlee's API document
 */
const CLIENT_REFUSED: ReadonlySet<string> = new Set(['Y016', 'Y027', 'Y301', 'Y303', 'Y901'])
/** Error codes of the token request about the user: no token is issued. */
const USER_REFUSED: ReadonlySet<string> = new Set(['Y003', 'Y004', 'Y005', 'Y015', 'Y305'])

export interface YodleeCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string>
  token: string
  body?: Json
}

/** Error of Yodlee with its error code; null when the response has none. */
export class YodleeError extends SourceError {
  readonly status: number
  readonly code: string | null

  constructor(
    kind: SourceError['kind'],
    message: string,
    response: { status: number; code: string | null },
    options: { waitMs?: number; isClientRefused?: boolean } = {},
  ) {
    const { waitMs, isClientRefused = false } = options
    super(kind, message, { isClientRefused, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) })
    this.status = response.status
    this.code = response.code
  }
}

export interface Token {
  accessToken: string
  expiresAt: string
}

/** Requests a token for one user. Yodlee creates a user for any name that it does not know. */
export async function requestToken(kit: Kit, loginName: string): Promise<Token> {
  const form = new URLSearchParams({ clientId: kit.app.clientId ?? '', secret: kit.app.secret ?? '' })
  const response = await send(kit, {
    method: 'POST',
    url: `${kit.hosts.api ?? ''}/auth/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', loginname: loginName },
    body: form.toString(),
  })
  if (response.status !== 200 && response.status !== 201) throw toTokenError(kit, response)
  const { token } = checkEnvelope(TokenAnswer, await responseJson(response, 'POST /auth/token'), 'POST /auth/token')
  const lifeMs = Math.max(0, token.expiresIn * 1_000 - MARGIN_MS)
  return { accessToken: token.accessToken, expiresAt: new Date(kit.now().getTime() + lifeMs).toISOString() }
}

/** Sends one call. Any error response throws `YodleeError` of the fitting kind. */
export async function callYodlee(kit: Kit, call: YodleeCall): Promise<HttpResponse> {
  const url = new URL(`${kit.hosts.api ?? ''}${call.path}`)
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  const response = await send(kit, {
    method: call.method ?? 'GET',
    url: url.href,
    headers: { authorization: `Bearer ${call.token}`, ...(call.body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  })
  if (isSuccess(response)) return response
  throw toError(kit, call, response)
}

/** Like `callYodlee`, with the response validated against its envelope; a mismatch throws `badData`. */
export async function askYodlee<T extends TSchema>(kit: Kit, call: YodleeCall, envelope: T): Promise<Static<T>> {
  return checkEnvelope(envelope, await responseJson(await callYodlee(kit, call), nameOf(call)), nameOf(call))
}

/** Whether the provider account, or the requested part of it, does not exist (any more). */
export function isGone(error: unknown): boolean {
  return (
    error instanceof YodleeError && (error.status === 404 || (error.status === 400 && (error.code === 'Y800' || error.code === 'Y807')))
  )
}

async function send(kit: Kit, request: HttpRequest): Promise<HttpResponse> {
  return await kit.http({ ...request, headers: { accept: 'application/json', 'api-version': '1.1', ...request.headers } })
}

function toTokenError(kit: Kit, response: HttpResponse): YodleeError {
  const code = readCode(response)
  const message = `Yodlee POST /auth/token: ${code ?? 'no error code'} (HTTP ${response.status})`
  const about = { status: response.status, code }
  if (response.status === 429 || response.status >= 500) return toError(kit, { path: '/auth/token', token: '' }, response)
  if (code !== null && USER_REFUSED.has(code)) return new YodleeError('reconnect', message, about)
  if (response.status === 401 || (code !== null && CLIENT_REFUSED.has(code))) {
    return new YodleeError('unavailable', `${message}: the operator's keys were refused`, about, { isClientRefused: true })
  }
  return new YodleeError('badData', message, about)
}

function toError(kit: Kit, call: YodleeCall, response: HttpResponse): YodleeError {
  const code = readCode(response)
  const kind = toKind(response.status, code)
  const waitMs = kind === 'rateLimited' ? retryAfterMs(response.headers, kit.now(), RATE_LIMIT_WAIT_MS) : undefined
  const message = `Yodlee ${nameOf(call)}: ${code ?? 'no error code'} (HTTP ${response.status})`
  return new YodleeError(kind, message, { status: response.status, code }, waitMs === undefined ? {} : { waitMs })
}

function toKind(status: number, code: string | null): SourceError['kind'] {
  if (status === 401) return 'reconnect'
  if (status === 429) return 'rateLimited'
  // Y868: the bank is being migrated to its own interface; it cannot be read meanwhile.
  return status === 403 || status >= 500 || code === 'Y868' ? 'unavailable' : 'badData'
}

/** Error code only: no other part of a response may reach a message. */
function readCode(response: HttpResponse): string | null {
  const text = new TextDecoder().decode(response.body.subarray(0, 4_096))
  return /"errorCode"\s*:\s*"(Y\d{3})"/.exec(text)?.[1] ?? null
}

/** Call without its ids. */
function nameOf({ method, path }: Pick<YodleeCall, 'method' | 'path'>): string {
  return `${method ?? 'GET'} ${path.replace(/\/\d+/g, '/…')}`
}
