import { randomUUID } from 'node:crypto'
import type { Sources } from '../../connectors/sources.ts'
import { CATEGORY_IDS } from '../../model/catalogue.ts'
import type { ConnectionEventKind, EventFacts, IssuedAs } from '../../model/events.ts'
import { type StatusCode, statusName } from '../../model/statuses.ts'
import type { FaultCode } from '../../model/texts/status-messages.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { RunReason } from '../../store/connections/sync-runs.ts'
import type { Db } from '../../store/db/database.ts'
import { insertEvent } from '../../store/webhooks/events.ts'
import { findService } from '../sources/catalogue.ts'

type Extra = Pick<EventFacts['data'], 'code' | 'message' | 'fault' | 'issuedAs' | 'accounts' | 'transactions'>

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
  extra: Extra = {},
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

/** The same, with the name of the connection’s service looked up. */
export async function raiseServiceEvent(
  db: Db,
  sources: Sources,
  kind: ConnectionEventKind,
  connection: Connection,
  cause: string,
  extra: Extra = {},
): Promise<void> {
  const service = await findService(db, sources, connection.instanceId, connection.serviceId)
  await raiseEvent(db, kind, connection, service?.name ?? '', cause, extra)
}

/** Raises the `Error` event of a connection that has moved to the status of a fault. */
export async function raiseFault(
  db: Db,
  sources: Sources,
  connection: Connection,
  cause: string,
  { status, ...why }: { status: StatusCode; fault: FaultCode; issuedAs: IssuedAs },
): Promise<void> {
  await raiseServiceEvent(db, sources, 'Error', connection, cause, { code: status, message: statusName(status), ...why })
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
