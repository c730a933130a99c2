import { Check } from 'typebox/value'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkBase64Hmac, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { WebhookBody } from './wire.ts'

/** What brings accounts and movements; the notice about the holder alone changes nothing that is read. */
const CHANGED: ReadonlySet<string> = new Set(['GetAccountsDetail', 'Investments'])

/**
 * Signed with a key that Flinks gives: Base64 of the HMAC-SHA256 of the very bytes. The reference names one header, a
 * newer guide the other.
 * Source: https://docs.flinks.com/api/connect/webhooks and https://docs.flinks.com/guides/webhooks/hmac-validation
 */
export async function readFlinksWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  const header = request.headers['flinks-authenticity-key'] === undefined ? 'x-flinks-signature' : 'flinks-authenticity-key'
  checkBase64Hmac(request, header, kit.app.webhookKey)
  const body = webhookJson(request)
  if (!Check(WebhookBody, body)) throw unreadableWebhook()
  return CHANGED.has(body.ResponseType ?? '') ? [{ kind: 'changed', reference: body.Login.Id }] : []
}
