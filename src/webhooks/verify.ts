import { createHmac, timingSafeEqual } from 'node:crypto'

/* Signature verification for receivers. This file needs only Node.js, so it can be copied as it is. */

/** Timestamp tolerance: an older or newer message is rejected as a possible replay. */
const TOLERANCE_S = 300

/**
 * Whether a request is from us, unchanged and recent: at least one header signature matches. `body` is the text exactly
 * as received, `headers` have lower-case names, `secret` is the text that starts with `whsec_`.
 */
export function verifyWebhook(headers: Record<string, string | undefined>, body: string, secret: string, now = new Date()): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_S) return false
  const expected = `v1,${hmac(secret, `${id}.${timestamp}.${body}`).toString('base64')}`
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  return signatures.reduce((found, signature) => isSame(signature, expected) || found, false)
}

/**
 * Whether the `Signature` in the body matches, for receivers that cannot read headers. It proves the author of the
 * body, not its time: store each `Identifier` and drop duplicates.
 */
export function verifyBody(body: string, secret: string): boolean {
  const parts = /^(.*),"Signature":"([0-9a-f]{64})"\}$/s.exec(body)
  if (!parts) return false
  return isSame(parts[2] ?? '', hmac(secret, `${parts[1]}}`).toString('hex'))
}

function hmac(secret: string, text: string): Buffer {
  return createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(text, 'utf8')
    .digest()
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
