import type { Static, TSchema } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'
import { peekText, responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'

const VERSION = '2020-09-14'
/**
 * Wait after a 429, which has no Retry-After. The limits count per minute.
 * Source: https://plaid.com/docs/errors/rate-limit-exceeded/
 */
const RATE_LIMIT_WAIT_MS = 60_000

/** Error of Plaid with its error code; null when the response has none. */
export class PlaidError extends SourceError {
  readonly code: string | null

  constructor(kind: SourceError['kind'], message: string, code: string | null, waitMs?: number) {
    super(kind, message, {
      reason: reasonFor(REASONS, code),
      isClientRefused: code === 'INVALID_API_KEYS',
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    })
    this.code = code
  }
}

/**
 * Sends one call with the operator's keys in headers. Any response other than 200 throws `PlaidError` of the fitting
 * kind.
 */
export async function callPlaid(kit: Kit, path: string, body: Json, limits: { timeoutMs?: number } = {}): Promise<HttpResponse> {
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.api ?? ''}${path}`,
    headers: {
      'content-type': 'application/json',
      'plaid-client-id': kit.app.clientId ?? '',
      'plaid-secret': kit.app.secret ?? '',
      'plaid-version': VERSION,
    },
    body: JSON.stringify(body),
    ...limits,
  })
  if (response.status === 200) return response
  throw toError(kit, path, response)
}

/** Like `callPlaid`, with the response validated against its envelope; a mismatch throws `badData`. */
export async function askPlaid<T extends TSchema>(kit: Kit, path: string, body: Json, envelope: T): Promise<Static<T>> {
  return checkEnvelope(envelope, await responseJson(await callPlaid(kit, path, body), path), path)
}

function toError(kit: Kit, path: string, response: HttpResponse): PlaidError {
  const { type, code } = readCodes(response)
  const kind = toKind(response.status, type, code)
  const waitMs = kind === 'rateLimited' ? retryAfterMs(response.headers, kit.now(), RATE_LIMIT_WAIT_MS) : undefined
  return new PlaidError(
    kind,
    `Plaid ${path}: ${type ?? 'no error type'} / ${code ?? 'no error code'} (HTTP ${response.status})`,
    code,
    waitMs,
  )
}

/**
 * Error codes that require the owner to act.
 * Source: https://plaid.com/docs/errors/item/ and https://plaid.com/docs/errors/invalid-input/
 */
const NEEDS_OWNER = new Set([
  'ITEM_LOGIN_REQUIRED',
  'INVALID_CREDENTIALS',
  'INVALID_MFA',
  'INVALID_SEND_METHOD',
  'INVALID_UPDATED_USERNAME',
  'INSUFFICIENT_CREDENTIALS',
  'ITEM_LOCKED',
  'ITEM_NOT_FOUND',
  'USER_SETUP_REQUIRED',
  'USER_INPUT_TIMEOUT',
  'MFA_NOT_SUPPORTED',
  'ACCESS_NOT_GRANTED',
  'NO_ACCOUNTS',
  'USER_PERMISSION_REVOKED',
  'INVALID_ACCESS_TOKEN',
  'ADDITIONAL_CONSENT_REQUIRED',
])

const REASONS: ReasonWords = {
  codeNeeded: ['INVALID_MFA', 'INVALID_SEND_METHOD', 'USER_INPUT_TIMEOUT', 'MFA_NOT_SUPPORTED'],
  loginChanged: ['ITEM_LOGIN_REQUIRED', 'INVALID_CREDENTIALS', 'INVALID_UPDATED_USERNAME', 'ITEM_LOCKED'],
}

/** Error codes that pass with time or that the operator resolves; the owner cannot. */
const PASSES = new Set([
  'INSTITUTION_DOWN',
  'INSTITUTION_NOT_RESPONDING',
  'INSTITUTION_NOT_AVAILABLE',
  'INTERNAL_SERVER_ERROR',
  'PLANNED_MAINTENANCE',
  'PRODUCT_NOT_READY',
  'INVALID_API_KEYS',
  'UNAUTHORIZED_ENVIRONMENT',
  'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION',
])

export function needsOwner(code: string): boolean {
  return NEEDS_OWNER.has(code)
}

function toKind(status: number, type: string | null, code: string | null): SourceError['kind'] {
  if (status === 429 || type === 'RATE_LIMIT_EXCEEDED') return 'rateLimited'
  if (code !== null && NEEDS_OWNER.has(code)) return 'reconnect'
  if (status >= 500 || (code !== null && PASSES.has(code)) || type === 'INSTITUTION_ERROR' || type === 'API_ERROR') return 'unavailable'
  return status === 401 ? 'reconnect' : 'badData'
}

/** Upper-case words only: no other part of a response may reach a message. */
function readCodes(response: HttpResponse): { type: string | null; code: string | null } {
  const text = peekText(response)
  return { type: readCode(text, 'error_type'), code: readCode(text, 'error_code') }
}

function readCode(text: string, name: string): string | null {
  return new RegExp(`"${name}"\\s*:\\s*"([A-Z][A-Z0-9_]{0,79})"`).exec(text)?.[1] ?? null
}
