import type { EgressResponse } from '../egress/egress.ts'
import type { EgressError } from '../egress/egress-error.ts'
import { scrub } from '../model/scrub.ts'
import type { ClaimedDelivery } from '../store/webhooks/deliveries.ts'
import type { AttemptOutcome } from '../store/webhooks/delivery-outcomes.ts'
import { afterFailure } from './schedule.ts'

/** Result of an attempt: the meaning of a receiver's response. */
export interface AttemptResult {
  /** `gone`: the receiver wants no further events. */
  result: 'delivered' | 'gone' | 'failed'
  /** Null without a complete response; then `error` is one of our fixed texts. */
  httpStatus: number | null
  error: string | null
  /** Beginning of the response body, without secrets and control characters. */
  response: string
  /** Wait requested by the receiver. */
  retryAfterMs: number | null
}

/** Statuses whose `Retry-After` is honoured: the receiver is up but overloaded. */
const BUSY = [429, 502, 503, 504]
const KEPT_CHARACTERS = 4096

export function classifyResponse(answer: EgressResponse, now: Date): AttemptResult {
  return {
    result: answer.status >= 200 && answer.status < 300 ? 'delivered' : answer.status === 410 ? 'gone' : 'failed',
    httpStatus: answer.status,
    error: null,
    response: excerptOf(answer),
    retryAfterMs: BUSY.includes(answer.status) ? retryAfterOf(answer.headers['retry-after'], now) : null,
  }
}

export function classifyFailure(error: EgressError): AttemptResult {
  return { result: 'failed', httpStatus: null, error: error.message, response: '', retryAfterMs: null }
}

/** What becomes of a delivery after an attempt. `random` as in `afterFailure`. */
export function nextOf(delivery: ClaimedDelivery, verdict: AttemptResult, random: () => number = Math.random): AttemptOutcome['next'] {
  return verdict.result === 'delivered' ? 'delivered' : afterFailure(delivery.step + 1, verdict.retryAfterMs, random)
}

/** How a recorded attempt is counted. */
export function resultOf({ result }: AttemptResult, { next }: AttemptOutcome): 'delivered' | 'retried' | 'failed' | 'gone' {
  if (result !== 'failed') return result
  return next === 'failed' ? 'failed' : 'retried'
}

/** Delivery delay in seconds; null unless it is the first success. */
export function delayOf(
  { claimedAt, raisedAt, wasDelivered }: ClaimedDelivery,
  { result, durationMs }: AttemptResult & { durationMs: number },
): number | null {
  if (result !== 'delivered' || wasDelivered) return null
  return (claimedAt.getTime() - raisedAt.getTime() + durationMs) / 1_000
}

/**
 * Scrubs more than it keeps, so that a secret across the cut is seen as a whole. Compressed bodies are not
 * decompressed.
 */
function excerptOf(answer: EgressResponse): string {
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') return ''
  const text = new TextDecoder().decode(answer.body.subarray(0, 2 * KEPT_CHARACTERS))
  return scrub(text.replace(/[^\P{C}\n\t]/gu, ''))
    .slice(0, KEPT_CHARACTERS)
    .toWellFormed()
}

/** Seconds or a date. Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterOf(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
