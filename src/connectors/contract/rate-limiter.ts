import { type HttpResponse, SourceError } from './kit.ts'
import type { SourceLimit } from './limits.ts'

/** Rate limiter for calls to sources: their limits, requested pauses, and circuit breakers, shared by all processes. */
export interface RateLimiter {
  /** Sends when the source may be called. Throws `SourcePaused` when that is more than some seconds away. */
  run(call: LimitedCall, send: () => Promise<HttpResponse>): Promise<HttpResponse>
  /** Pause requested in a way that only the connector recognizes: no calls for these books (or at all) until then. */
  pause(client: SourceClient, entity: string | null, waitMs: number): Promise<void>
}

/** App at a source. */
export type SourceClient = Pick<LimitedCall, 'connectorKey' | 'app'>

/** Name of an app in limits and pauses; for the deployment's own, that of the source alone. */
export function nameOfClient({ connectorKey, app }: SourceClient): string {
  return app === undefined ? connectorKey : `${connectorKey}#${app}`
}

export interface LimitedCall {
  connectorKey: string
  /** The app at the source, if not the deployment's own: sources count each separately. */
  app?: string
  /** Limits for which this call counts. */
  limits: readonly SourceLimit[]
  /** The books, as the source names them; null for a call without a connection. */
  entity: string | null
  /** Called endpoint: the host's name, or the origin if it is not one of the source's own. */
  place: { host: string } | { origin: string }
  timeoutMs: number
}

/** Thrown without a call: it would exceed a limit, the source asked to wait, or its breaker is open. */
export class SourcePaused extends SourceError {
  /** The breaker is open because the source is failing, not because of a limit. */
  readonly isDown: boolean

  constructor(message: string, waitMs: number, isDown = false) {
    super('rateLimited', message, { retryAfterMs: Math.ceil(waitMs) })
    this.name = 'SourcePaused'
    this.isDown = isDown
  }
}
