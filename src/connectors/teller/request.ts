import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'
import { responseJson, retryAfterMs } from '../toolkit/answers.ts'
import { basicAuthorization } from '../toolkit/status-failures.ts'

const VERSION = '2020-10-12'
/** Teller publishes no limits and no wait. */
const RATE_LIMIT_WAIT_MS = 60_000
/** Balances and first transactions are read from the bank while we wait. Source: https://teller.io/docs/api/account/transactions */
const PATIENT_MS = 90_000

/** An error of Teller's with the code that it gave; null where the answer had none. */
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

  /** The account is closed or gone; the enrollment itself is well. */
  get isAccountGone(): boolean {
    return (this.status === 404 || this.status === 410) && /^account\.(closed|not_found)$/.test(this.code ?? '')
  }
}

/** Ours for an answer that complains of the certificate: it has no code of its own. */
const MISSING_CERTIFICATE = 'certificate'

/** Sends one call with the operator's certificate; a token of null for what is open to all. Any answer but 2xx throws `TellerError`. */
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
  if (response.status >= 200 && response.status < 300) return response
  throw toError(kit, path, response)
}

/** As `callTeller`, and the answer checked against its envelope; another shape throws `badData`. */
export async function askTeller<T extends TSchema>(kit: Kit, token: string | null, path: string, envelope: T): Promise<Static<T>> {
  return checkEnvelope(envelope, responseJson(await callTeller(kit, token, path), shapeOf(path)), shapeOf(path))
}

export function checkEnvelope<T extends TSchema>(envelope: T, value: unknown, what: string): Static<T> {
  if (Check(envelope, value)) return value
  throw new SourceError('badData', `${what}: the answer does not have the expected shape`)
}

/** The last part of a code that begins with `enrollment.disconnected`. */
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

/** Only a code is taken over: nothing else of an answer may reach a message. */
function readCode(response: HttpResponse): string | null {
  const text = new TextDecoder().decode(response.body)
  if (response.status === 400 && /missing certificate/i.test(text)) return MISSING_CERTIFICATE
  return /"code"\s*:\s*"([a-z][a-z_]{0,39}(?:\.[a-z_]{1,40}){0,3})"/.exec(text)?.[1] ?? null
}

/** The path without ids and query. */
function shapeOf(path: string): string {
  return path.replace(/\?.*$/, '').replace(/\/accounts\/[^/]+/, '/accounts/…')
}
