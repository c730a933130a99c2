import type { CallObserver } from '../../connectors/sources.ts'
import type { WorkMetrics } from '../../metrics/work.ts'

/** Counts each call to a source. */
export function observeSourceCalls(work: Pick<WorkMetrics, 'countSourceCall'>): CallObserver {
  return async ({ connectorKey }, run) => {
    try {
      const response = await run()
      work.countSourceCall(connectorKey, response.status)
      return response
    } catch (error) {
      work.countSourceCall(connectorKey, null)
      throw error
    }
  }
}
