import type { Db } from '../../store/db/database.ts'
import { insertAuditEvents } from '../../store/webhooks/audit-events.ts'
import type { AuditSink } from './sink.ts'

/** Events for the webhook subscriptions of the instance; an entry that has one already gets no other. */
export function createWebhookSink(db: Db): AuditSink {
  return {
    write: async (entries) => {
      const [first] = entries
      if (first?.instanceId) await insertAuditEvents(db, first.instanceId, entries)
    },
  }
}
