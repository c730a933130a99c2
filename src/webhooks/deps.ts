import type { Egress } from '../egress/egress.ts'
import type { Activity } from '../jobs/activity.ts'
import type { CrashHook } from '../model/crash-points.ts'
import type { Database } from '../store/db/database.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import type { TokenHash } from '../store/keys/token-hash.ts'
import type { CallbackRules } from './callback-url.ts'

/** Dependencies of the webhook functions; built once, in process/start-server.ts. */
export interface WebhookDeps {
  database: Database
  sealer: Sealer
  callbackRules: CallbackRules
}

/** Log of this room; ids, codes and counts only. */
export interface WebhookLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** Dependencies of the receivers of this deployment. */
export interface ReceiverDeps {
  database: Database
  sealer: Sealer
  /** Public URL of the deployment, no trailing slash. */
  publicUrl: string
  hashToken: TokenHash
}

export interface DispatcherDeps {
  database: Database
  egress: Egress
  sealer: Sealer
  log: WebhookLog
  /** This deployment's own receivers; absent where there are none. */
  own?: Pick<ReceiverDeps, 'publicUrl' | 'hashToken'>
  /** Offset of the dispatcher's clock from database time; nonzero only in tests, which travel in time. */
  clock?: { aheadMs(): number }
  /** While true nothing is placed or sent. */
  isPaused?(): boolean
  activity?: Activity
  /** From 0 to 1, for jitter. */
  random?: () => number
  /**
   * Called after each attempt is recorded; `delaySeconds` is the delay since the event for a delivery's first success,
   * otherwise null.
   */
  onAttempt?(attempt: { result: 'delivered' | 'retried' | 'failed' | 'gone'; delaySeconds: number | null }): void
  /** Crash hook of tests that kill processes at named points. */
  crashPoint?: CrashHook
}
