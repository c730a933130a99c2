import { randomUUID } from 'node:crypto'
import { CATEGORY_IDS } from '../../model/catalogue.ts'
import type { EventFacts, EventKind, IssuedAs } from '../../model/events.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { RunReason } from '../../store/connections/sync-runs.ts'
import type { Db } from '../../store/db/database.ts'
import { insertEvent } from '../../store/webhooks/events.ts'

/**
 * Records what happened to a connection, in the transaction that made it happen: the event exists if and only if its cause does.
 * `cause` makes it happen once, however often the transaction is tried.
 */
export async function raiseEvent(
  db: Db,
  kind: EventKind,
  connection: Connection,
  serviceName: string,
  cause: string,
  extra: Pick<EventFacts['data'], 'code' | 'message' | 'fault' | 'issuedAs' | 'accounts'> = {},
): Promise<void> {
  await insertEvent(db, {
    instanceId: connection.instanceId,
    id: randomUUID(),
    kind,
    companyId: connection.companyId,
    serviceId: connection.serviceId,
    sessionId: connection.id,
    dedupeKey: `${kind}/${connection.id}/${cause}`,
    data: {
      serviceName,
      categoryName: connection.category,
      categoryId: CATEGORY_IDS[connection.category],
      email: connection.email,
      ...extra,
    },
  })
}

/** What a run stands for in its events: the schedule's and the source's own are told from those that a person brought about. */
export function issuedAs(reason: RunReason): IssuedAs {
  if (reason === 'schedule') return 'Scheduled'
  return reason === 'hint' ? 'Webhook' : 'Manual'
}
