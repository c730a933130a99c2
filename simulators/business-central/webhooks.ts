import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Reply } from '../kit/http/response.ts'
import { sendWebhook, type WebhookAnswer } from '../kit/http/webhook-sender.ts'
import type { StateStore } from '../kit/state.ts'
import { errorReply, jsonReply } from './api/replies.ts'
import type { Environment } from './data/companies.ts'

const LIFE_MS = 3 * 86_400_000
const RESOURCE = /^(?:.*\/)?companies\(([0-9a-f-]{36})\)\/(accounts|generalLedgerEntries)$/

const Body = Type.Object({
  notificationUrl: Type.String({ minLength: 1 }),
  resource: Type.String(),
  clientState: Type.Optional(Type.String({ maxLength: 50 })),
})
const isBody = Compile(Body)

export interface SubscriptionState {
  subscriptionId: string
  environment: string
  notificationUrl: string
  resource: string
  clientState: string
  expiresAt: number
}

/** Source-specific state that survives restarts. */
export interface OwnState {
  subscriptions: SubscriptionState[]
}

export type ChangeType = 'created' | 'updated' | 'deleted' | 'collection'

/**
 * Webhook subscriptions: created and renewed only if the receiver echoes a token, expired after three days.
 * Notifications are not signed; they repeat the client state.
 * Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/api-reference/v2.0/dynamics-subscriptions
 */
export class Subscriptions {
  readonly #state: StateStore<OwnState>
  readonly #now: () => Date

  constructor(state: StateStore<OwnState>, now: () => Date) {
    this.#state = state
    this.#now = now
  }

  /** Handles a call to `…/subscriptions`; `id` is that of one subscription, or empty. */
  async answer(method: string, environment: Environment, id: string, body: string): Promise<Reply> {
    const mine = this.#living().filter(({ environment: name }) => name === environment.name)
    const one = mine.find(({ subscriptionId }) => subscriptionId === id)
    if (method === 'GET' && id === '') return jsonReply(200, { value: mine.map(toRow) })
    if (method === 'POST' && id === '') return await this.#keep(environment, body, null)
    if (!one) return errorReply(404, 'Internal_RecordNotFound', 'The record does not exist.')
    if (method === 'GET') return jsonReply(200, toRow(one))
    if (method === 'PATCH') return await this.#keep(environment, body, one)
    this.#state.data.subscriptions = this.#state.data.subscriptions.filter((each) => each !== one)
    this.#state.save()
    return { status: 204, type: '', body: '' }
  }

  /** Notifies the subscribers of a company's resource; returns their answers. */
  async notify(companyId: string, name: 'accounts' | 'generalLedgerEntries', changeType: ChangeType): Promise<WebhookAnswer[]> {
    const fitting = this.#living().filter(({ resource }) => resource.endsWith(`companies(${companyId})/${name}`))
    return await Promise.all(
      fitting.map(async ({ subscriptionId, clientState, expiresAt, notificationUrl }) => {
        const resource = `api/v2.0/companies(${companyId})/${name}(${randomUUID()})`
        const lastModifiedDateTime = this.#now().toISOString()
        const expirationDateTime = new Date(expiresAt).toISOString()
        const value = [{ subscriptionId, clientState, expirationDateTime, resource, changeType, lastModifiedDateTime }]
        return await sendWebhook(notificationUrl, JSON.stringify({ value }), { 'content-type': 'application/json' })
      }),
    )
  }

  async #keep(environment: Environment, text: string, before: SubscriptionState | null): Promise<Reply> {
    const body: unknown = tryJson(text)
    if (!isBody.Check(body)) return errorReply(400, 'BadRequest', 'The request body is not a subscription.')
    const companyId = RESOURCE.exec(body.resource)?.[1]
    if (companyId === undefined || !environment.companyIds.includes(companyId)) {
      return errorReply(400, 'BadRequest', 'The resource cannot be subscribed to.')
    }
    const others = this.#living().filter((each) => each !== before)
    if (others.some((each) => each.notificationUrl === body.notificationUrl && each.resource === body.resource)) {
      return errorReply(400, 'Internal_EntityWithSameKeyExists', 'The record already exists.')
    }
    if (!(await repeatsToken(body.notificationUrl))) {
      return errorReply(400, 'BadRequest_NotificationUrl', 'The notification URL did not return the validation token.')
    }
    const subscription = toState(body, environment.name, before?.subscriptionId ?? randomUUID().replaceAll('-', ''), this.#now().getTime())
    this.#state.data.subscriptions = [...others, subscription]
    this.#state.save()
    return jsonReply(before ? 200 : 201, toRow(subscription))
  }

  #living(): SubscriptionState[] {
    return this.#state.data.subscriptions.filter(({ expiresAt }) => expiresAt > this.#now().getTime())
  }
}

function toState(body: Static<typeof Body>, environment: string, subscriptionId: string, nowMs: number): SubscriptionState {
  const { notificationUrl, resource, clientState = '' } = body
  return { subscriptionId, environment, notificationUrl, resource, clientState, expiresAt: nowMs + LIFE_MS }
}

function toRow({ subscriptionId, notificationUrl, resource, clientState, expiresAt }: SubscriptionState): object {
  const expirationDateTime = new Date(expiresAt).toISOString()
  return { '@odata.etag': 'W/"JzE5OzI4NTY4NDc5Jzs="', subscriptionId, notificationUrl, resource, clientState, expirationDateTime }
}

async function repeatsToken(address: string): Promise<boolean> {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  const token = randomUUID()
  url.searchParams.set('validationToken', token)
  const answer = await sendWebhook(url.toString(), '', {}).catch(() => null)
  return answer?.status === 200 && answer.body.trim() === token
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
