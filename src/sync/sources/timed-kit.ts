import { type Kit, SourceError } from '../../connectors/contract/contract.ts'

/** Deadline of all calls of one refresh together; shorter than its lease. */
const DEADLINE_MS = 20_000

/**
 * Kit for one refresh: enforces the deadline, and records when the source last answered, by the source's own clock if
 * it reports it.
 */
export function timedKit(kit: Kit): { kit: Kit; answeredAt(): Date } {
  const endMs = performance.now() + DEADLINE_MS
  let answeredAt: Date | null = null
  return {
    answeredAt: () => answeredAt ?? kit.now(),
    kit: {
      ...kit,
      http: async (request) => {
        const leftMs = Math.ceil(endMs - performance.now())
        if (leftMs <= 0) throw new SourceError('unavailable', `the refresh took more than ${DEADLINE_MS} ms`)
        const response = await kit.http({ ...request, timeoutMs: Math.min(request.timeoutMs ?? DEADLINE_MS, leftMs) })
        const saidMs = Date.parse(response.headers.date ?? '')
        answeredAt = Number.isNaN(saidMs) ? kit.now() : new Date(saidMs)
        return response
      },
    },
  }
}
