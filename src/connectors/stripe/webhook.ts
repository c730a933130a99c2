import { Check } from 'typebox/value'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkTimestampedHmac, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { WebhookBody } from './wire.ts'

/** Source: https://docs.stripe.com/webhooks#verify-manually */
const TOLERANCE_SECONDS = 300

const HINTS: Readonly<Record<string, 'changed' | 'reconnect'>> = {
  'financial_connections.account.created': 'changed',
  'financial_connections.account.reactivated': 'changed',
  'financial_connections.account.refreshed_balance': 'changed',
  'financial_connections.account.refreshed_transactions': 'changed',
  // Other accounts of the login may still be active: a run finds out.
  'financial_connections.account.deactivated': 'changed',
  'financial_connections.account.disconnected': 'changed',
}

/** Verifies signature and age, then returns the event's hint; event types that we do not use return none. */
export async function readStripeWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  checkTimestampedHmac(request, {
    header: 'stripe-signature',
    keys: (kit.app.webhookSecret ?? '').split(','),
    now: kit.now(),
    toleranceSeconds: TOLERANCE_SECONDS,
  })
  const body = webhookJson(request)
  if (!Check(WebhookBody, body)) throw unreadableWebhook()
  const kind = Object.hasOwn(HINTS, body.type) ? HINTS[body.type] : undefined
  const reference = body.data.object.account_holder?.customer
  return kind && reference ? [{ kind, reference }] : []
}
