import { createHmac } from 'node:crypto'

/** Text form of a secret: `whsec_` and the bytes in base64. Source: https://www.standardwebhooks.com */
const SECRET_PREFIX = 'whsec_'
export const SECRET_BYTES = 32

export function printSecret(secret: Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(secret).toString('base64')}`
}

/**
 * Signed body: the frozen canonical text with `,"Signature":"<64 hex digits>"` inserted before its last brace. The
 * signature is HMAC-SHA256 of the canonical text. As the keys are sorted, `Signature` is last and the result is
 * canonical again.
 */
export function signBody(canonicalBody: string, secret: Uint8Array): string {
  const signature = createHmac('sha256', secret).update(canonicalBody, 'utf8').digest('hex')
  return `${canonicalBody.slice(0, -1)},"Signature":"${signature}"}`
}

export interface SignedHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * Headers of one attempt: one `v1` signature per active secret, over `id.timestamp.body` with the body as sent.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signHeaders(messageId: string, at: Date, body: string, secrets: readonly Uint8Array[]): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${messageId}.${timestamp}.${body}`, 'utf8').digest('base64')}`,
  )
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
