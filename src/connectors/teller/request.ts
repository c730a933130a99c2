import type { Static, TSchema } from 'typebox'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'
import { peekText, responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { basicAuthorization, isSuccess } from '../toolkit/http/status-failures.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'

const VERSION = '2020-10-12'
/** Wait after a 429: Teller publishes no limits and no waiting time. */
const RATE_LIMIT_WAIT_MS = 60_000
/**
 * Timeout for calls that reach the bank: balances and first transactions are read in real time.
 * Source: https://teller.io/docs/api/account/transactions
 */
const PATIENT_MS = 90_000

/** Error of Teller with its error code; null when the response has none. */
export class TellerError extends SourceError {
  readonly status: number
  readonly code: string | null

  constructor(kind: SourceError['kind'], message: string, told: { status: number; code: string | null; waitMs?: number }) {
    super(kind, message, {
      reason: reasonFor(REASONS, told.code?.split('.').at(-1)),
      isClientRefused: told.code === MISSING_CERTIFICATE,
      ...(told.waitMs === undefined ? {} : { retryAfterMs: told.waitMs }),
    })
    this.status = told.status
    this.code = told.code
  }

  /** True when the account is closed or gone while the enrollment itself is valid. */
  get isAccountGone(): boolean {
    return (this.status === 404 || this.status === 410) && /^account\.(closed|not_found)$/.test(this.code ?? '')
  }
}

/** Our own code for an error about the certificate, which has none at Teller. */
const MISSING_CERTIFICATE = 'certificate'

/**
 * Sends one call with the operator's certificate; the token is null for public endpoints. Any other answer than a whole one
 * with 2xx throws `TellerError`.
 */
export async function callTeller(
  kit: Kit,
  token: string | null,
  path: string,
  method: HttpRequest['method'] = 'GET',
): Promise<HttpResponse> {
  const { certificate, privateKey } = kit.app
  const response = await kit.http({
    method,
    url: `${kit.hosts.api ?? ''}${path}`,
    headers: {
      accept: 'application/json',
      'teller-version': VERSION,
      ...(token === null ? {} : { authorization: basicAuthorization(token, '') }),
    },
    timeoutMs: PATIENT_MS,
    ...(certificate && privateKey ? { identity: { certificate, privateKey } } : {}),
  })
  if (isSuccess(response)) return response
  throw toError(kit, path, response)
}

/** Like `callTeller`, with the response validated against its envelope; a mismatch throws `badData`. */
export async function askTeller<T extends TSchema>(kit: Kit, token: string | null, path: string, envelope: T): Promise<Static<T>> {
  return checkEnvelope(envelope, await responseJson(await callTeller(kit, token, path), shapeOf(path)), shapeOf(path))
}

/** Reason by the last part of a code that begins with `enrollment.disconnected`. */
const REASONS: ReasonWords = {
  codeNeeded: ['mfa_required'],
  loginChanged: ['credentials_invalid', 'account_locked'],
}

/** Source: https://teller.io/docs/api/errors */
function toError(kit: Kit, path: string, response: HttpResponse): TellerError {
  const { status } = response
  const code = readCode(response)
  const kind = toKind(status, code)
  const waitMs = kind === 'rateLimited' ? { waitMs: retryAfterMs(response.headers, kit.now(), RATE_LIMIT_WAIT_MS) } : {}
  return new TellerError(kind, `Teller ${shapeOf(path)}: ${code ?? 'no error code'} (HTTP ${status})`, { status, code, ...waitMs })
}

function toKind(status: number, code: string | null): SourceError['kind'] {
  if (status === 429) return 'rateLimited'
  if (status === 401 || status === 403 || code?.startsWith('enrollment.')) return 'reconnect'
  return status >= 500 || code === MISSING_CERTIFICATE ? 'unavailable' : 'badData'
}

/** Error code only: no other part of a response may reach a message. */
function readCode(response: HttpResponse): string | null {
  const text = peekText(response)
  if (response.status === 400 && /missing certificate/i.test(text)) return MISSING_CERTIFICATE
  return /"code"\s*:\s*"([a-z][a-z_]{0,39}(?:\.[a-z_]{1,40}){0,3})"/.exec(text)?.[1] ?? null
}

/** Path with its ids and query removed. */
function shapeOf(path: string): string {
  return path.replace(/\?.*$/, '').replace(/\/accounts\/[^/]+/, '/accounts/…')
}
