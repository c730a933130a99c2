import type { Session } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { webhookJson } from '../toolkit/webhook-checks.ts'
import { askYodlee, callYodlee, requestToken } from './request.ts'
import { EventsAnswer, WebhookBody } from './wire.ts'

/** Subscribed event types. Source: POST /configs/notifications/events/{eventName} in Yodlee's API document */
const EVENTS = ['REFRESH', 'DATA_UPDATES', 'AUTO_REFRESH_UPDATES']

/** User names in a webhook of Yodlee. Yodlee signs none; they reach this only by the secret address. */
export async function readYodleeWebhook(_kit: unknown, request: WebhookRequest): Promise<Hint[]> {
  const { event } = checkEnvelope(WebhookBody, webhookJson(request), 'webhook')
  if (!EVENTS.includes(event.info.split('.')[0] ?? '')) return []
  const names = [event.loginName, ...(event.data?.userData ?? []).map(({ user }) => user?.loginName)]
  return [...new Set(names)].flatMap((reference) => (reference ? [{ kind: 'changed', reference }] : []))
}

/**
 * Subscribes webhooks once for the whole client, by its administrator; an existing subscription to the same address is
 * unchanged.
 */
export async function subscribe({ kit }: Session, webhookUrl: string): Promise<void> {
  const { accessToken: token } = await requestToken(kit, kit.app.adminLoginName ?? '')
  const { event = [] } = await askYodlee(kit, { path: '/configs/notifications/events', token }, EventsAnswer)
  for (const name of EVENTS) {
    const known = event.find((each) => each.name === name)
    if (known?.callbackUrl === webhookUrl) continue
    const path = `/configs/notifications/events/${name}`
    await callYodlee(kit, { method: known ? 'PUT' : 'POST', path, token, body: { event: { callbackUrl: webhookUrl } } })
  }
}
