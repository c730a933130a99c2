import { recordChange } from '../../audit/record.ts'
import { SourceError } from '../../connectors/contract/contract.ts'
import type { Sources } from '../../connectors/sources.ts'
import { isFault, isLegalTransition, Status, type StatusCode } from '../../model/statuses.ts'
import { type FaultMessage, faultMessage } from '../../model/texts/status-messages.ts'
import type { Authorization } from '../../store/connections/authorizations.ts'
import { writeFault } from '../../store/connections/connection-faults.ts'
import { getNewestStatusChange } from '../../store/connections/connection-timeline.ts'
import { type Connection, findActiveConnection, lockConnection, writeStatus } from '../../store/connections/connections.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { raiseFault } from '../connection/events.ts'
import { moveStatus } from '../connection/status.ts'
import { faultOf } from '../runs/failure.ts'
import { ConsentTakenBack } from './consent.ts'
import { EntityMismatch } from './grant.ts'

/** Thrown when the owner declined at the source. */
export class Declined extends Error {}

/** Records a failed return from the source on the connection. */
export async function recordAuthorizationFailure(
  database: Database,
  sources: Sources,
  authorization: Authorization,
  error: unknown,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const connection = await lockConnection(db, authorization.instanceId, authorization.connectionId)
    if (connection?.status !== Status.Authorization) return
    await failAuthorization(db, sources, connection, error)
    const { instanceId, id } = connection
    const { code } = toFault(error)
    await countStep(db, { instanceId, id: authorization.linkId }, code === 'declined' ? 'declined' : 'failed')
    const details = { reason: code }
    await recordChange(db, { instanceId, action: 'authorization.failed', subject: `connection/${id}`, details })
  })
}

/** Records the failure on the locked, unfinished connection and raises an Error event. Idempotent. */
export async function failAuthorization(db: Db, sources: Sources, connection: Connection, error: unknown): Promise<void> {
  if (!isLegalTransition(connection.status, Status.AuthorizationError)) return
  const fault = toFault(error)
  await endAuthorization(db, sources, connection, Status.AuthorizationError, fault)
  if (error instanceof EntityMismatch || error instanceof Declined) await noteOnActiveConnection(db, connection, fault)
}

/** Moves the locked, unfinished connection to a fault and raises its Error event. */
export async function endAuthorization(
  db: Db,
  sources: Sources,
  connection: Connection,
  status: StatusCode,
  fault: FaultMessage,
): Promise<void> {
  const { instanceId, id } = connection
  await moveStatus(db, connection, status, fault)
  await writeFault(db, instanceId, id, fault)
  const cause = `authorization/${await getNewestStatusChange(db, instanceId, id)}`
  const issuedAs = status === Status.AuthorizationTimedOut ? 'Scheduled' : 'Manual'
  await raiseFault(db, sources, connection, cause, { status, fault: fault.code, issuedAs })
}

/** Notes the owner's failed attempt on the active connection that was to be repaired. */
async function noteOnActiveConnection(db: Db, { instanceId, companyId, serviceId }: Connection, fault: FaultMessage): Promise<void> {
  const found = await findActiveConnection(db, instanceId, companyId, serviceId)
  const active = found && (await lockConnection(db, instanceId, found.id))
  if (!active) return
  await writeStatus(db, active, active.status, fault)
  if (isFault(active.status)) await writeFault(db, instanceId, active.id, fault)
}

function toFault(error: unknown): FaultMessage {
  if (error instanceof Declined || error instanceof ConsentTakenBack) return faultMessage('declined', 'the owner declined')
  if (error instanceof EntityMismatch) {
    const { before, now } = error
    return faultMessage('otherEntity', 'another entity was authorized', { before, now })
  }
  return error instanceof SourceError ? faultOf(error) : faultMessage('internal', error instanceof Error ? error.name : 'failed')
}
