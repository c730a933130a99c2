import type { Egress } from '../egress/egress.ts'
import { EgressError } from '../egress/egress-error.ts'
import { toMessageId } from '../model/events.ts'
import type { ClaimedDelivery } from '../store/webhooks/deliveries.ts'
import { type AttemptResult, classifyFailure, classifyResponse } from './attempt-result.ts'
import { signBody, signHeaders } from './signing.ts'

const DEADLINE_MS = 15_000
/** Twice the deadline: a process that takes longer counts as dead. */
export const LEASE_MS = 2 * DEADLINE_MS
const MAX_ANSWER_BYTES = 64 * 1024

/** Secrets for one delivery: `current` signs the body, each of `all` the headers. */
export interface SigningSecrets {
  current: Uint8Array
  all: readonly Uint8Array[]
}

/**
 * Makes one attempt and classifies the response. Never throws for a receiver's behaviour. `isOwn`: a receiver of this
 * deployment.
 */
export async function attemptDelivery(
  egress: Egress,
  delivery: ClaimedDelivery,
  secrets: SigningSecrets,
  isOwn: boolean,
): Promise<AttemptResult & { durationMs: number }> {
  const started = performance.now()
  const body = signBody(delivery.body, secrets.current)
  const verdict = await send(egress, { ...delivery, body }, secrets.all, isOwn)
  return { ...verdict, durationMs: Math.round(performance.now() - started) }
}

async function send(egress: Egress, delivery: ClaimedDelivery, secrets: readonly Uint8Array[], isOwn: boolean): Promise<AttemptResult> {
  const { body } = delivery
  try {
    const answer = await egress.request({
      method: 'POST',
      url: delivery.callbackUrl,
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'Countinghouse',
        ...(delivery.traceParent === null ? {} : { traceparent: delivery.traceParent }),
        ...signHeaders(toMessageId(delivery.eventId), delivery.claimedAt, body, secrets),
      },
      body,
      timeoutMs: DEADLINE_MS,
      maxBytes: MAX_ANSWER_BYTES,
      allowPrivate: isOwn,
    })
    return classifyResponse(answer, delivery.claimedAt)
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return classifyFailure(error)
  }
}
