import { createHash, timingSafeEqual } from 'node:crypto'
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { parseJson } from '../../model/values/json.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { askPlaid, needsOwner, PlaidError } from './request.ts'
import { VerificationKeyAnswer, WebhookBody } from './wire.ts'

/** Source: https://plaid.com/docs/api/webhooks/webhook-verification/ */
const MAX_AGE_SECONDS = 300
/** Maximum lead of Plaid's clock over ours. */
const MAX_LEAD_SECONDS = 60

/** Verifies signature, age and body hash, then returns the webhook's hint; codes that we do not use return none. */
export async function readPlaidWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  await verify(kit, request)
  return toHints(readBody(request.body))
}

/**
 * The key is requested each time: a connector keeps no state, and a key that Plaid has withdrawn becomes invalid at
 * once.
 */
async function verify(kit: Kit, request: WebhookRequest): Promise<void> {
  const token = request.headers['plaid-verification']
  if (token === undefined) throw refused('no signature')
  const kid = readKeyId(token)
  const { key } = await fetchKey(kit, kid)
  if (typeof key.expired_at === 'number' && key.expired_at * 1000 <= kit.now().getTime()) throw refused('expired key')
  const claims = await readClaims(kit, token, { kty: key.kty, crv: key.crv, x: key.x, y: key.y })
  const age = typeof claims.iat === 'number' ? Math.floor(kit.now().getTime() / 1000) - claims.iat : Number.NaN
  if (!(age <= MAX_AGE_SECONDS && age >= -MAX_LEAD_SECONDS)) throw refused('too old, or from the future')
  if (!isHashOf(claims.request_body_sha256, request.body)) throw refused('signed for another body')
}

function readKeyId(token: string): string {
  const header = headerOf(token)
  if (header.alg !== 'ES256') throw refused('not signed with ES256')
  if (typeof header.kid !== 'string' || !/^[\w-]{1,100}$/.test(header.kid)) throw refused('no key id')
  return header.kid
}

function headerOf(token: string): { alg?: unknown; kid?: unknown } {
  try {
    return decodeProtectedHeader(token)
  } catch (cause) {
    throw refused('no token', cause)
  }
}

async function fetchKey(kit: Kit, kid: string): Promise<VerificationKeyAnswer> {
  try {
    return await askPlaid(kit, '/webhook_verification_key/get', { key_id: kid }, VerificationKeyAnswer)
  } catch (error) {
    // A key unknown to Plaid means a forged signature; any other error is a fault at Plaid, and the webhook is retried.
    if (error instanceof PlaidError && error.kind === 'badData') throw refused('unknown key', error)
    throw error
  }
}

async function readClaims(kit: Kit, token: string, jwk: JWK): Promise<{ iat?: unknown; request_body_sha256?: unknown }> {
  try {
    const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { algorithms: ['ES256'], currentDate: kit.now() })
    return payload
  } catch (cause) {
    throw refused('the signature does not fit', cause)
  }
}

function isHashOf(claimed: unknown, body: Uint8Array): boolean {
  if (typeof claimed !== 'string' || !/^[0-9a-f]{64}$/.test(claimed)) return false
  return timingSafeEqual(Buffer.from(claimed, 'hex'), createHash('sha256').update(body).digest())
}

function readBody(body: Uint8Array): WebhookBody {
  try {
    return checkEnvelope(WebhookBody, parseJson(new TextDecoder().decode(body)), 'webhook')
  } catch (cause) {
    throw new SourceError('badData', 'webhook: signed, but not a webhook that can be read', { cause })
  }
}

function toHints(body: WebhookBody): Hint[] {
  if (body.webhook_type === 'LINK') {
    const isDone = body.webhook_code === 'SESSION_FINISHED' && body.status === 'SUCCESS'
    return isDone && body.link_token ? [{ kind: 'linked', memoMatch: body.link_token }] : []
  }
  const reference = body.item_id
  if (!reference) return []
  switch (body.webhook_code) {
    case 'SYNC_UPDATES_AVAILABLE':
    case 'DEFAULT_UPDATE':
    case 'LOGIN_REPAIRED':
    case 'NEW_ACCOUNTS_AVAILABLE':
    case 'USER_ACCOUNT_REVOKED':
      return [{ kind: 'changed', reference }]
    case 'PENDING_DISCONNECT':
    case 'PENDING_EXPIRATION':
    case 'USER_PERMISSION_REVOKED':
      return [{ kind: 'reconnect', reference }]
    case 'ERROR':
      return needsOwner(body.error?.error_code ?? '') ? [{ kind: 'reconnect', reference }] : []
    default:
      return []
  }
}

function refused(reason: string, cause?: unknown): SourceError {
  return new SourceError('reconnect', `webhook refused: ${reason}`, { cause })
}
