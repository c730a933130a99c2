import { randomUUID } from 'node:crypto'
import { CATEGORY_IDS } from '../model/catalogue.ts'
import type { EventFacts, EventKind } from '../model/events.ts'
import type { Connection } from '../store/connections.ts'
import type { Db } from '../store/database.ts'
import { insertEvent } from '../store/events.ts'

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
  extra: Pick<EventFacts['data'], 'code' | 'message' | 'accounts'> = {},
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
