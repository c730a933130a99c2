import { Check } from 'typebox/value'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkBase64Hmac, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { WebhookBody } from './wire.ts'

/** Webhook types with accounts and transactions; the notice about the holder alone changes no data that we read. */
const CHANGED: ReadonlySet<string> = new Set(['GetAccountsDetail', 'Investments'])

/**
 * Verifies the signature with Flinks' key: Base64 of the HMAC-SHA256 of the exact bytes. The reference names one
 * header, a newer guide the other.
 * Source: https://docs.flinks.com/api/connect/webhooks and https://docs.flinks.com/guides/webhooks/hmac-validation
 */
export async function readFlinksWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  const header = request.headers['flinks-authenticity-key'] === undefined ? 'x-flinks-signature' : 'flinks-authenticity-key'
  checkBase64Hmac(request, header, kit.app.webhookKey)
  const body = webhookJson(request)
  if (!Check(WebhookBody, body)) throw unreadableWebhook()
  return CHANGED.has(body.ResponseType ?? '') ? [{ kind: 'changed', reference: body.Login.Id }] : []
}
