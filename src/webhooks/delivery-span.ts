import type { ClaimedDelivery } from '../store/webhooks/deliveries.ts'
import { currentTraceParent, inSpan } from '../tracing/spans.ts'
import type { AttemptResult } from './attempt-result.ts'

/** Makes one attempt within a span of the trace in which the event was raised; `attempt` gets the `traceparent` for the receiver. */
export async function inDeliverySpan<T extends AttemptResult>(
  { instanceId, kind, traceParent }: ClaimedDelivery,
  attempt: (traceParent: string | null) => Promise<T>,
): Promise<T> {
  const facts = { 'countinghouse.instance.id': instanceId, 'countinghouse.event.kind': kind }
  return await inSpan({ name: 'webhook delivery', kind: 'client', parent: { traceParent }, facts }, async (span) => {
    const sent = await attempt(currentTraceParent())
    span.set({ 'countinghouse.result': sent.result, ...(sent.httpStatus === null ? {} : { 'http.response.status_code': sent.httpStatus }) })
    return sent
  })
}
