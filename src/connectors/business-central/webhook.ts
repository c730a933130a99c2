import { createHmac } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { isSameSecret } from '../../model/values/secret.ts'
import { type HttpResponse, type Kit, type Session, SourceError } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { refusedWebhook, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'
import { secretOf } from './authorization.ts'
import { toSourceError } from './errors.ts'
import { readList } from './read.ts'
import { environmentUrl } from './request.ts'

/** Resources of a company that are read and can be subscribed to. */
const RESOURCES = ['accounts', 'generalLedgerEntries']

const Notifications = Type.Object({ value: Type.Array(Type.Object({ resource: Type.String(), clientState: Type.String() })) })
const isNotifications = Compile(Notifications)

const Subscription = Type.Object({ subscriptionId: Type.String(), notificationUrl: Type.String(), resource: Type.String() })
const isSubscription = Compile(Subscription)

/**
 * Reads notifications. They are not signed: each repeats the secret of its subscription, one for each company.
 * Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/api-reference/v2.0/dynamics-subscriptions
 */
export async function readWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  const body = webhookJson(request)
  if (!isNotifications.Check(body)) throw unreadableWebhook()
  const companies = body.value.map(({ resource, clientState }) => {
    const id = companyOf(resource)
    if (id === null || !isSameSecret(clientState, clientStateOf(kit, id))) throw refusedWebhook('the client state does not fit')
    return id
  })
  return [...new Set(companies)].map((reference) => ({ kind: 'changed', reference }))
}

/** Handshake: the endpoint is validated by repeating the token within five seconds. */
export function answerHandshake(query: Readonly<Record<string, string>>): string | null {
  return query.validationToken ?? null
}

/** Creates or renews the subscriptions in each run, since they expire after three days. */
export async function subscribe(session: Session, webhookUrl: string): Promise<void> {
  const { kit } = session
  const { companyId } = secretOf(session.credentials)
  const known = await listSubscriptions(session)
  for (const name of RESOURCES) {
    const resource = `companies(${companyId})/${name}`
    const mine = known.find((each) => each.notificationUrl === webhookUrl && each.resource.replace(/^.*\/(?=companies\()/, '') === resource)
    const body = { notificationUrl: webhookUrl, resource, clientState: clientStateOf(kit, companyId) }
    const response = mine
      ? await call(session, 'PATCH', `('${encodeURIComponent(mine.subscriptionId)}')`, body)
      : await call(session, 'POST', '', body)
    if (![200, 201].includes(response.status)) throw toSourceError(response, `the subscription to ${name}`, kit.now())
  }
}

async function listSubscriptions(session: Session): Promise<Static<typeof Subscription>[]> {
  const what = 'the list of subscriptions'
  const response = await call(session, 'GET', '')
  if (response.status !== 200) throw toSourceError(response, what, session.kit.now())
  return readList(await responseJson(response, what)).rows.map((row) => {
    if (!isSubscription.Check(row)) throw new SourceError('badData', 'Business Central answered an unreadable subscription')
    return row
  })
}

async function call(session: Session, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<HttpResponse> {
  const secret = secretOf(session.credentials)
  return await session.kit.http({
    method,
    url: `${environmentUrl(session.kit, secret)}/subscriptions${path}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${secret.accessToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'PATCH' ? { 'if-match': '*' } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Client state, at most 50 characters. From one company's value that of another cannot be derived. */
function clientStateOf(kit: Kit, companyId: string): string {
  return createHmac('sha256', kit.app.clientSecret ?? '')
    .update(`webhook/${companyId.toLowerCase()}`)
    .digest('base64url')
}

function companyOf(resource: string): string | null {
  return /companies\(([0-9a-f-]{36})\)/i.exec(resource)?.[1]?.toLowerCase() ?? null
}
