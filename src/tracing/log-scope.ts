import { AsyncLocalStorage } from 'node:async_hooks'
import { currentTraceParent, traceIdOf } from './spans.ts'

interface LogScope {
  requestId?: string
  jobId?: string
}

const scopes = new AsyncLocalStorage<LogScope>()

/** Runs `work`, whose log lines name the request or job. */
export function withinLogScope<T>(scope: LogScope, work: () => T): T {
  return scopes.run(scope, work)
}

/** Fields that every log line gets: the request or job around it, and the trace. */
export function logScopeFields(): Record<string, string> {
  const scope = scopes.getStore()
  const traceId = traceIdOf(currentTraceParent())
  return { ...scope, ...(traceId === null ? {} : { traceId }) }
}
