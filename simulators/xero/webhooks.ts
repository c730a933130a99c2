import { randomBytes, randomUUID } from 'node:crypto'
import { hmacBase64, sendWebhook, type WebhookAnswer } from '../kit/http/webhook-sender.ts'

export interface WebhookTarget {
  url: string
  /** Webhook key of the app. */
  key: string
}

/** An event in an organisation. */
export interface XeroEvent {
  category: 'INVOICE' | 'CONTACT' | 'CREDITNOTE'
  type: 'CREATE' | 'UPDATE'
}

const RESOURCES = { INVOICE: 'Invoices', CONTACT: 'Contacts', CREDITNOTE: 'CreditNotes' } as const
const CREDIT_NOTE = { Type: 'ACCRECCREDIT', Status: 'AUTHORISED' }

/**
 * Webhooks of an app, with sequential event numbers.
 * Source: https://developer.xero.com/documentation/guides/webhooks/overview/
 */
export class Webhooks {
  readonly #now: () => Date
  #sequence = 0

  constructor(now: () => Date) {
    this.#now = now
  }

  async fire(target: WebhookTarget, tenantId: string, events: readonly XeroEvent[]): Promise<WebhookAnswer> {
    const first = this.#sequence + 1
    this.#sequence += events.length
    const body = {
      events: events.map((event) => this.#toEvent(tenantId, event)),
      firstEventSequence: first,
      lastEventSequence: this.#sequence,
      entropy: randomBytes(10).toString('hex').toUpperCase(),
    }
    return await post(target.url, JSON.stringify(body), target.key)
  }

  /** The "intent to receive": no events, signed correctly or with another key. */
  async checkIntent(target: WebhookTarget, isSignedWell: boolean): Promise<WebhookAnswer> {
    const body = { events: [], lastEventSequence: 0, firstEventSequence: 0, entropy: randomBytes(10).toString('hex').toUpperCase() }
    return await post(target.url, JSON.stringify(body), isSignedWell ? target.key : randomUUID())
  }

  #toEvent(tenantId: string, { category, type }: XeroEvent): object {
    const resourceId = randomUUID()
    return {
      resourceUrl: `https://api.xero.com/api.xro/2.0/${RESOURCES[category]}/${resourceId}`,
      resourceId,
      tenantId,
      tenantType: 'ORGANISATION',
      eventCategory: category,
      eventType: type,
      eventDateUtc: this.#now().toISOString().replace('Z', ''),
      ...(category === 'CREDITNOTE' ? { data: CREDIT_NOTE } : {}),
    }
  }
}

async function post(url: string, body: string, key: string): Promise<WebhookAnswer> {
  return await sendWebhook(url, body, { 'content-type': 'application/json; charset=utf-8', 'x-xero-signature': hmacBase64(body, key) })
}
