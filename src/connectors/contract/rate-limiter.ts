import { type HttpResponse, SourceError } from './contract.ts'
import type { SourceLimit } from './limits.ts'

/** Where calls are let out: the limits of sources, the pauses they asked for, and breakers, shared by all processes. */
export interface RateLimiter {
  /** Sends when the source may be called. Throws `SourcePaused` when that is more than some seconds away. */
  run(call: LimitedCall, send: () => Promise<HttpResponse>): Promise<HttpResponse>
  /** The source asked to wait, in a way that its connector alone can read: nobody calls for these books (or at all) until then. */
  pause(client: SourceClient, entity: string | null, waitMs: number): Promise<void>
}

/** An app at a source. */
export type SourceClient = Pick<LimitedCall, 'connectorKey' | 'app'>

/** Under one name whatever the source allows an app: that of the source alone for the deployment's own. */
export function nameOfClient({ connectorKey, app }: SourceClient): string {
  return app === undefined ? connectorKey : `${connectorKey}#${app}`
}

export interface LimitedCall {
  connectorKey: string
  /** Which app at the source, where it is not the deployment's own: sources count the calls of each by itself. */
  app?: string
  /** The limits for which this call counts. */
  limits: readonly SourceLimit[]
  /** The books, as the source names them; null for a call that belongs to no connection. */
  entity: string | null
  /** Which address of the source: its name, or the origin where it is not one of the source's own. */
  place: { host: string } | { origin: string }
  timeoutMs: number
}

/** No call was made: it would be over a limit, or the source asked to wait, or it fails so often that it is left alone for a while. */
export class SourcePaused extends SourceError {
  /** It is left alone because it fails, not because it allows no more. */
  readonly isDown: boolean

  constructor(message: string, waitMs: number, isDown = false) {
    super('rateLimited', message, { retryAfterMs: Math.ceil(waitMs) })
    this.name = 'SourcePaused'
    this.isDown = isDown
  }
}
