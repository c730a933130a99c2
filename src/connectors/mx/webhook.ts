import { SourceError } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { webhookJson } from '../toolkit/webhook-checks.ts'
import { needsOwner } from './status.ts'
import { WebhookBody } from './wire.ts'

/**
 * Webhook types that announce new data of a member, in the singular.
 * Source: https://docs.mx.com/resources/webhooks/
 */
const NEWS: ReadonlySet<string> = new Set(['ACCOUNT', 'AGGREGATION', 'BALANCE', 'CONNECTION_STATUS', 'HISTORY', 'MEMBER', 'TRANSACTION'])

/** Hint of one of MX's webhooks. MX signs none; they reach this only by the secret address. */
export async function readMxWebhook(_kit: unknown, request: WebhookRequest): Promise<Hint[]> {
  const json = webhookJson(request)
  const body = checkEnvelope(WebhookBody, json, 'webhook')
  const type = body.type
    .toUpperCase()
    .replace(/S$/, '')
    .replace(/^CONNECTION_STATU$/, 'CONNECTION_STATUS')
  if (!NEWS.has(type)) return []
  const reference = body.member_guid
  const hints: Hint[] = []
  if (reference) hints.push({ kind: needsOwner(body.connection_status) ? 'reconnect' : 'changed', reference })
  const match = isFinished(type, body) ? matchIn(request, json) : null
  if (match !== null) hints.push({ kind: 'linked', memoMatch: match })
  return hints
}

/**
 * Whether the login is complete: the member exists from the first form on; its data follow when the owner has answered
 * everything.
 */
function isFinished(type: string, { action }: WebhookBody): boolean {
  return type === 'MEMBER' && action?.toLowerCase() === 'member_data_updated'
}

/** Metadata that we passed to the widget; MX returns it unchanged. */
function matchIn(request: WebhookRequest, body: unknown): string | null {
  const told = isJsonObject(body) ? body.callback_payload : null
  const payload = request.headers['x-callback-payload'] ?? (typeof told === 'string' ? told : '')
  if (payload === '') return null
  const match = Buffer.from(payload, 'base64').toString('utf8')
  if (!/^[\w-]{32}$/.test(match)) throw new SourceError('badData', 'webhook: the payload is not one of ours')
  return match
}
