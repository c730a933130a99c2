import type { Database } from '../store/db/database.ts'
import type { Sealer } from '../store/keys/sealing.ts'
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
