import type { CallObserver } from '../../connectors/sources.ts'
import type { WorkMetrics } from '../../metrics/work.ts'
import { inSpan } from '../../tracing/spans.ts'

/**
 * Counts each call to a source within a span. The trace context is not sent along: a bank does not need to know which
 * of its calls belong together.
 */
export function observeSourceCalls(work: Pick<WorkMetrics, 'countSourceCall'>): CallObserver {
  return async ({ connectorKey, method, host }, run) => {
    const facts = {
      'countinghouse.connector': connectorKey,
      'http.request.method': method,
      ...(host === null ? {} : { 'countinghouse.source.host': host }),
    }
    return await inSpan({ name: `${method} ${connectorKey}`, kind: 'client', facts }, async (span) => {
      try {
        const response = await run()
        work.countSourceCall(connectorKey, response.status)
        span.set({ 'http.response.status_code': response.status })
        return response
      } catch (error) {
        work.countSourceCall(connectorKey, null)
        throw error
      }
    })
  }
}
