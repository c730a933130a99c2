import { randomBytes, randomUUID } from 'node:crypto'
import { recordChange } from '../audit/record.ts'
import type { SubscribableEvent } from '../model/events.ts'
import { inTransaction } from '../store/db/database.ts'
import { catchUpFeed } from '../store/webhooks/event-feeds.ts'
import { type NewRequest, saveRequest } from '../store/webhooks/receiver-requests.ts'
import {
  deleteReceiver,
  findReceiver,
  findReceiverByToken,
  insertReceiver,
  isReceiverOf,
  type Receiver,
  type RequestChecks,
} from '../store/webhooks/receivers.ts'
import { listUnexpiredSecrets } from '../store/webhooks/subscription-secrets.ts'
import { deleteSubscription, insertSubscription } from '../store/webhooks/subscriptions.ts'
import type { ReceiverDeps } from './deps.ts'
import { Conflict } from './errors.ts'
import { addSecret, openSecret, replaceSecrets } from './secrets.ts'
import { printSecret } from './signing.ts'
import { verifyBody, verifyWebhook } from './verify.ts'

/*
 * Receivers: endpoints of ours for developers without a tunnel. Events reach them like any receiver: by a signed
 * request over the network.
 */

/** Path below the public URL; the token follows. */
const PATH = '/receiver/'
const TOKEN = /^[\w-]{43}$/
const MAX_RECEIVERS = 10
const MAX_KEPT = { requests: 100, bytes: 8 * 1_048_576 }
const TOLERANCE_MS = 300_000
const MAX_HEADERS = 40
const MAX_VALUE = 2_000
/** Credentials, sender and proxies: not needed to check a signature. */
const OMITTED_HEADERS = /^(authorization|cookie|proxy-.*|forwarded|x-forwarded-.*|x-real-ip)$/

/**
 * Creates a receiver with a subscription that sends to it; one with this id that is there already gets a new secret.
 * Throws `Conflict` when the instance has ten of them.
 */
export async function openReceiver(
  deps: ReceiverDeps,
  instanceId: string,
  event: SubscribableEvent,
  id: string = randomUUID(),
): Promise<{ receiver: Receiver; secret: string }> {
  const token = randomBytes(32).toString('base64url')
  return await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const made = await findReceiver(db, instanceId, id)
    if (made) {
      const { secret } = await replaceSecrets(deps.sealer, db, instanceId, made.subscriptionId)
      await recordChange(db, { instanceId, action: 'receiver.opened', subject: `receiver/${id}`, after: made })
      return { receiver: made, secret }
    }
    const callbackUrl = `${deps.publicUrl}${PATH}${token}`
    const subscription = await insertSubscription(db, instanceId, randomUUID(), { event, callbackUrl })
    if (!subscription) throw new Error('a new token is in use')
    const { secret } = await addSecret(deps.sealer, db, instanceId, subscription.id, 0)
    const tokenHash = deps.hashToken(`receiver/${token}`)
    if (!(await insertReceiver(db, instanceId, { id, subscriptionId: subscription.id, tokenHash }, MAX_RECEIVERS))) {
      throw new Conflict('tooManyReceivers')
    }
    const receiver = await findReceiver(db, instanceId, id)
    if (!receiver) throw new Error('the receiver is gone')
    await recordChange(db, { instanceId, action: 'receiver.opened', subject: `receiver/${id}`, after: receiver })
    return { receiver, secret }
  })
}

/** Deletes a receiver with its subscription; a subscription that has another address by now is kept. */
export async function closeReceiver(deps: ReceiverDeps, { instanceId, id, ...receiver }: Receiver): Promise<void> {
  await inTransaction(deps.database, async (db) => {
    await catchUpFeed(db, instanceId)
    const token = tokenIn(deps, receiver.callbackUrl)
    const isOwn = token !== null && (await isReceiverOf(db, { instanceId, ...receiver }, deps.hashToken.all(`receiver/${token}`)))
    if (isOwn) await deleteSubscription(db, instanceId, receiver.subscriptionId)
    else await deleteReceiver(db, instanceId, id)
    await recordChange(db, { instanceId, action: 'receiver.closed', subject: `receiver/${id}`, before: receiver })
  })
}

/**
 * Whether a delivery goes to this deployment's own URL and the existing receiver of this very subscription. Only then
 * may the address be in a network that is otherwise blocked, because its host is the operator's and not a customer's.
 */
export async function isOwnReceiver(
  deps: Pick<ReceiverDeps, 'database' | 'publicUrl' | 'hashToken'>,
  delivery: { instanceId: string; subscriptionId: string; callbackUrl: string },
): Promise<boolean> {
  const token = tokenIn(deps, delivery.callbackUrl)
  return token !== null && (await isReceiverOf(deps.database, delivery, deps.hashToken.all(`receiver/${token}`)))
}

/** Finds a receiver by the token in its URL; null when there is none. */
export async function findByToken(deps: ReceiverDeps, token: string): Promise<Receiver | null> {
  return TOKEN.test(token) ? await findReceiverByToken(deps.database, deps.hashToken.all(`receiver/${token}`)) : null
}

/** Stores a received request with the results of its signature checks. */
export async function recordRequest(
  deps: ReceiverDeps,
  receiver: Receiver,
  request: { headers: Record<string, string>; body: Uint8Array; answered: number },
): Promise<void> {
  const { instanceId, id, subscriptionId } = receiver
  const sealed = await listUnexpiredSecrets(deps.database, instanceId, [subscriptionId])
  const secrets = sealed.map((secret) => printSecret(openSecret(deps.sealer, instanceId, secret)))
  const kept: NewRequest = {
    id: randomUUID(),
    headers: shownHeaders(request.headers),
    body: request.body,
    checks: checkRequest(request.headers, Buffer.from(request.body).toString('utf8'), secrets),
    answered: request.answered,
  }
  await inTransaction(deps.database, (db) => saveRequest(db, { instanceId, receiverId: id }, kept, MAX_KEPT))
}

/** The steps of `verify.ts` one by one, so that each can be shown. */
function checkRequest(headers: Record<string, string>, body: string, secrets: readonly string[]): RequestChecks {
  const sentMs = /^\d{1,12}$/.test(headers['webhook-timestamp'] ?? '') ? Number(headers['webhook-timestamp']) * 1_000 : Number.NaN
  return {
    timestamp: Math.abs(Date.now() - sentMs) <= TOLERANCE_MS,
    headers: secrets.some((secret) => verifyWebhook(headers, body, secret, new Date(sentMs))),
    body: secrets.some((secret) => verifyBody(body, secret)),
  }
}

function shownHeaders(headers: Record<string, string>): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => !OMITTED_HEADERS.test(name))
  return Object.fromEntries(shown.slice(0, MAX_HEADERS).map(([name, value]) => [name, value.slice(0, MAX_VALUE)]))
}

function tokenIn({ publicUrl }: Pick<ReceiverDeps, 'publicUrl'>, address: string): string | null {
  const start = `${publicUrl}${PATH}`
  const token = address.startsWith(start) ? address.slice(start.length) : ''
  return TOKEN.test(token) ? token : null
}
