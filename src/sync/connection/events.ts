import { randomUUID } from 'node:crypto'
import { CATEGORY_IDS } from '../../model/catalogue.ts'
import type { ConnectionEventKind, EventFacts, IssuedAs } from '../../model/events.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { RunReason } from '../../store/connections/sync-runs.ts'
import type { Db } from '../../store/db/database.ts'
import { insertEvent } from '../../store/webhooks/events.ts'

/**
 * Raises an event of a connection in the transaction of its cause: the event exists if and only if its cause does.
 * `cause` is the deduplication key.
 */
export async function raiseEvent(
  db: Db,
  kind: ConnectionEventKind,
  connection: Connection,
  serviceName: string,
  cause: string,
  extra: Pick<EventFacts['data'], 'code' | 'message' | 'fault' | 'issuedAs' | 'accounts' | 'transactions'> = {},
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
      applicationId: connection.applicationId,
      ...extra,
    },
  })
}

const ISSUED_AS: Record<RunReason, IssuedAs> = {
  schedule: 'Scheduled',
  feed: 'Scheduled',
  hint: 'Webhook',
  first: 'Manual',
  reconnect: 'Manual',
  refresh: 'Manual',
  resume: 'Manual',
  file: 'Manual',
  replay: 'Manual',
}

/** Cause of a run in its events: a person, the schedule, or the source itself. */
export function issuedAs(reason: RunReason): IssuedAs {
  return ISSUED_AS[reason]
}
