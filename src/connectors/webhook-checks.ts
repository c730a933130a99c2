import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Json, parseJson } from '../model/json.ts'
import { SourceError, type WebhookRequest } from './contract.ts'

/**
 * Checks a webhook that is signed as many sources sign theirs: Base64 of the HMAC-SHA256 of the very bytes. Throws `SourceError('reconnect')`
 * when it is not, also when the operator has set no key: what cannot be checked is not believed.
 */
export function checkBase64Hmac(request: WebhookRequest, header: string, key: string | undefined): void {
  if (!key) throw refusedWebhook('the operator has set no key for webhooks of this source')
  const expected = createHmac('sha256', key).update(request.body).digest('base64')
  if (!isSameText(request.headers[header] ?? '', expected)) throw refusedWebhook('the signature does not fit')
}

/** Compares without telling by the time it takes how much of a guess was right. */
export function isSameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The body of a webhook; anything but JSON throws `badData`. */
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
