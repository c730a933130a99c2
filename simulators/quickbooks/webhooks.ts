import { randomUUID } from 'node:crypto'
import { hmacBase64, sendWebhook, type WebhookAnswer } from '../kit/http/webhook-sender.ts'

export interface EntityChange {
  /** `Account`, `JournalEntry`, `Invoice`, … */
  entity: string
  id: string
  operation: 'created' | 'updated' | 'deleted'
}

/** Operations in the older format. */
const OPERATIONS = { created: 'Create', updated: 'Update', deleted: 'Delete' } as const

/**
 * Notifies of changes in a company, signed with the app's verifier token. `form` is the current format, CloudEvents,
 * or the previous one.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks/managing-webhooks-notifications
 */
export async function fireWebhook(
  target: { url: string; verifierToken: string },
  realmId: string,
  changes: readonly EntityChange[],
  options: { form: 'cloudEvents' | 'notifications'; now: Date },
): Promise<WebhookAnswer> {
  const { form, now } = options
  const body = JSON.stringify(form === 'cloudEvents' ? toCloudEvents(realmId, changes, now) : toNotifications(realmId, changes, now))
  const signature = hmacBase64(body, target.verifierToken)
  return await sendWebhook(target.url, body, { 'content-type': 'application/json', 'intuit-signature': signature })
}

function toCloudEvents(realmId: string, changes: readonly EntityChange[], now: Date): object[] {
  return changes.map(({ entity, id, operation }) => ({
    specversion: '1.0',
    id: randomUUID(),
    source: 'intuit.dsnBgbseACLLRZNxo2dfc4evmEJdxde58xeeYcZliOU=',
    type: `qbo.${entity.toLowerCase()}.${operation}.v1`,
    datacontenttype: 'application/json',
    time: now.toISOString(),
    intuitentityid: id,
    intuitaccountid: realmId,
    data: {},
  }))
}

function toNotifications(realmId: string, changes: readonly EntityChange[], now: Date): object {
  const lastUpdated = now.toISOString()
  const entities = changes.map(({ entity, id, operation }) => ({ name: entity, id, operation: OPERATIONS[operation], lastUpdated }))
  return { eventNotifications: [{ realmId, dataChangeEvent: { entities } }] }
}
