import { SourceError } from '../connectors/contract.ts'
import { isFault, Status } from '../model/statuses.ts'
import { type ToldFault, tellFault } from '../model/told.ts'
import type { Authorization } from '../store/authorizations.ts'
import { writeFault } from '../store/connection-faults.ts'
import { type Connection, findLivingConnection, lockConnection, writeStatus } from '../store/connections.ts'
import { type Db, inTransaction } from '../store/database.ts'
import { ConsentTakenBack } from './consent.ts'
import type { SyncDeps } from './deps.ts'
import { faultOf } from './failure.ts'
import { EntityMismatch } from './grant.ts'
import { moveStatus } from './status.ts'

/** The owner said no at the source. */
export class Declined extends Error {}

/** The way back from the source led nowhere: the connection says why. */
export async function noteRefusal(deps: SyncDeps, authorization: Authorization, error: unknown): Promise<void> {
  const told = whyNot(error)
  await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, authorization.instanceId, authorization.connectionId)
    if (connection?.status !== Status.Authorization) return
    await moveStatus(db, connection, Status.AuthorizationError, told)
    await writeFault(db, connection.instanceId, connection.id, told)
    if (error instanceof EntityMismatch) await noteOnLiving(db, connection, told)
  })
}

/** Whoever looks at the connection that was to be repaired sees that the owner has tried, and why it did not help. */
async function noteOnLiving(db: Db, { instanceId, companyId, serviceId }: Connection, told: ToldFault): Promise<void> {
  const found = await findLivingConnection(db, instanceId, companyId, serviceId)
  const living = found && (await lockConnection(db, instanceId, found.id))
  if (!living) return
  await writeStatus(db, living, living.status, told)
  if (isFault(living.status)) await writeFault(db, instanceId, living.id, told)
}

function whyNot(error: unknown): ToldFault {
  if (error instanceof Declined || error instanceof ConsentTakenBack) return tellFault('declined', 'the owner declined')
  if (error instanceof EntityMismatch) {
    const { before, now } = error
    return tellFault('otherEntity', 'another entity was authorized', { before, now })
  }
  return error instanceof SourceError ? faultOf(error) : tellFault('internal', error instanceof Error ? error.name : 'failed')
}
