import { Check } from 'typebox/value'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { checkTimestampedHmac, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { WebhookBody } from './wire.ts'

/** Source: https://teller.io/docs/api/webhooks */
const TOLERANCE_SECONDS = 180

/** Verifies signature and age, then returns the webhook's hint; types that we do not use return none. */
export async function readTellerWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  checkTimestampedHmac(request, {
    header: 'teller-signature',
    keys: (kit.app.webhookSecret ?? '').split(','),
    now: kit.now(),
    toleranceSeconds: TOLERANCE_SECONDS,
  })
  const body = webhookJson(request)
  if (!Check(WebhookBody, body)) throw unreadableWebhook()
  const { type, payload } = body
  const reference = payload.enrollment_id ?? enrollmentIn(payload)
  if (!reference) return []
  if (type === 'enrollment.disconnected') return [{ kind: 'reconnect', reference }]
  return type === 'transactions.processed' ? [{ kind: 'changed', reference }] : []
}

/** Processed transactions name their enrollment in the payload or, in older deliveries, not at all. */
function enrollmentIn(payload: object): string | null {
  const enrollment: unknown = 'enrollment' in payload ? payload.enrollment : null
  return isJsonObject(enrollment) && typeof enrollment.id === 'string' ? enrollment.id : null
}
