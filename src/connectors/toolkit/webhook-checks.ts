import { createHmac } from 'node:crypto'
import { type Json, parseJson } from '../../model/values/json.ts'
import { isSameSecret } from '../../model/values/secret.ts'
import { SourceError } from '../contract/contract.ts'
import type { WebhookRequest } from '../contract/hints.ts'

/**
 * Webhook signature check used by many sources: Base64 of the HMAC-SHA256 of the received bytes. Throws
 * `SourceError('reconnect')` on a mismatch, and when the operator has set no key: what cannot be checked is rejected.
 */
export function checkBase64Hmac(request: WebhookRequest, header: string, key: string | undefined): void {
  if (!key) throw refusedWebhook('the operator has set no key for webhooks of this source')
  const expected = createHmac('sha256', key).update(request.body).digest('base64')
  if (!isSameSecret(request.headers[header] ?? '', expected)) throw refusedWebhook('the signature does not fit')
}

/**
 * Webhook signature check with a timestamp, as `t=1700000000,v1=…`: hex of the HMAC-SHA256 of `time.body`, one per key
 * during a key rotation. Throws `SourceError('reconnect')` like `checkBase64Hmac`, and for a timestamp outside the
 * tolerance.
 */
export function checkTimestampedHmac(
  request: WebhookRequest,
  check: { header: string; keys: readonly string[]; now: Date; toleranceSeconds: number },
): void {
  const keys = check.keys.map((key) => key.trim()).filter((key) => key !== '')
  if (keys.length === 0) throw refusedWebhook('the operator has set no key for webhooks of this source')
  const parts = (request.headers[check.header] ?? '').split(',').map((part) => part.trim())
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  if (!/^\d{1,12}$/.test(time)) throw refusedWebhook('no signature')
  const given = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3))
  const signed = Buffer.concat([Buffer.from(`${time}.`), request.body])
  const expected = keys.map((key) => createHmac('sha256', key).update(signed).digest('hex'))
  const fits = given.slice(0, 20).some((each) => expected.some((one) => isSameSecret(each, one)))
  if (!fits) throw refusedWebhook('the signature does not fit')
  const age = Math.abs(check.now.getTime() / 1000 - Number(time))
  if (age > check.toleranceSeconds) throw refusedWebhook('too old, or from the future')
}

/** JSON body of a webhook; anything else throws `badData`. */
export function webhookJson(request: WebhookRequest): Json {
  try {
    return parseJson(new TextDecoder().decode(request.body))
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadableWebhook()
    throw error
  }
}

export function refusedWebhook(reason: string): SourceError {
  return new SourceError('reconnect', `webhook refused: ${reason}`)
}

export function unreadableWebhook(): SourceError {
  return new SourceError('badData', 'webhook: signed, but not a webhook that can be read')
}
