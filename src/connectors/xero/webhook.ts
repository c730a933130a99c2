import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkBase64Hmac, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { mayReadJournals } from './authorization.ts'

const WebhookBody = Type.Object({ events: Type.Array(Type.Object({ tenantId: Type.String(), eventCategory: Type.String() })) })
const isBody = Compile(WebhookBody)

/**
 * Event categories that post journals. Contacts and the app's own subscriptions change no data that we read, and manual
 * journals and accounts have no webhook.
 */
const POSTED = ['INVOICE', 'CREDITNOTE']

/**
 * Verifies the signature with the webhook key of the operator's app. The "intent to receive" is a webhook without
 * events, sent with valid and invalid signatures: the signature decides there as well.
 * Source: https://developer.xero.com/documentation/guides/webhooks/overview/
 */
export async function readWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  checkBase64Hmac(request, 'x-xero-signature', kit.app.webhookKey)
  const body = webhookJson(request)
  if (!isBody.Check(body)) throw unreadableWebhook()
  if (!mayReadJournals(kit)) return []
  const tenants = body.events.filter(({ eventCategory }) => POSTED.includes(eventCategory)).map(({ tenantId }) => tenantId)
  return [...new Set(tenants)].map((reference) => ({ kind: 'changed', reference }))
}
