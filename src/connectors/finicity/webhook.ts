import { createHmac } from 'node:crypto'
import { Check } from 'typebox/value'
import { isSameSecret } from '../../model/values/secret.ts'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { refusedWebhook, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { ConnectEvent, PushEvent } from './wire.ts'

/** Event types after which the customer has new data. */
const FINISHED: ReadonlySet<string> = new Set(['added', 'done'])
const CHANGED: ReadonlySet<string> = new Set(['added', 'done', 'credentialsUpdated', 'accountsDeleted', 'migrated'])

/**
 * Verifies Data Connect events: hex of the HMAC-SHA256 of the exact bytes, with the partner's secret. Notices of TxPUSH
 * are signed with a key that was disclosed once for each subscription and is not stored: they count as much as an
 * unsigned hint at a secret address.
 * Source: https://developer.mastercard.com/open-finance-us/documentation/webhooks/webhooks-connect/ and
 * …/products/manage/tx-push/
 */
export async function readFinicityWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  const { 'txpush-signature': push, 'x-finicity-signature': signature } = request.headers
  if (signature === undefined && push !== undefined) return readPush(request)
  const { partnerSecret } = kit.app
  if (!partnerSecret) throw refusedWebhook('the operator has set no partner secret')
  const expected = createHmac('sha256', partnerSecret).update(request.body).digest('hex')
  if (!isSameSecret((signature ?? '').toLowerCase(), expected)) throw refusedWebhook('the signature does not fit')
  const body = webhookJson(request)
  if (!Check(ConnectEvent, body)) throw unreadableWebhook()
  const { eventType, customerId, webhookData } = body
  const hints: Hint[] = []
  if (FINISHED.has(eventType) && webhookData?.match) hints.push({ kind: 'linked', memoMatch: webhookData.match })
  if (CHANGED.has(eventType) && customerId) hints.push({ kind: 'changed', reference: String(customerId) })
  return hints
}

function readPush(request: WebhookRequest): Hint[] {
  const body = webhookJson(request)
  if (!Check(PushEvent, body)) throw unreadableWebhook()
  const customers = new Set(body.event.records.map(({ customerId }) => String(customerId)))
  return [...customers].map((reference) => ({ kind: 'changed', reference }))
}
