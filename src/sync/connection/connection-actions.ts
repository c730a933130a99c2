import { randomUUID } from 'node:crypto'
import type { ActionName } from '../../audit/actions.ts'
import { recordChange } from '../../audit/record.ts'
import type { Sources } from '../../connectors/sources.ts'
import { isLegalTransition, isReadable, Status } from '../../model/statuses.ts'
import { statusMessage } from '../../model/texts/status-messages.ts'
import { abandonAuthorizations } from '../../store/connections/authorizations.ts'
import { clearTrouble } from '../../store/connections/connection-faults.ts'
import { getNewestStatusChange } from '../../store/connections/connection-timeline.ts'
import {
  type Connection,
  findCurrentConnection,
  lockConnection,
  writeAcceptsDeletions,
  writeSuspension,
} from '../../store/connections/connections.ts'
import { type ConsentEnd, endConsentsOfConnection } from '../../store/connections/consents.ts'
import { shredCredentials } from '../../store/connections/credentials.ts'
import { revokeLinks } from '../../store/connections/links.ts'
import { findPromisedRun } from '../../store/connections/requested-runs.ts'
import { abandonRuns } from '../../store/connections/sync-runs.ts'
import { type Database, type Db, databaseTime } from '../../store/db/database.ts'
import { isQueued, resetAttempts } from '../../store/jobs/jobs.ts'
import { type Pauses, readPauses, writeEraseIn, writePauses } from '../../store/owners/owner-connections.ts'
import { deleteMatchesOfService, queueAccountMatching } from '../../store/records/account-matches.ts'
import { closePublication } from '../../store/records/publications.ts'
import { deleteAccountWords } from '../../store/search/account-words.ts'
import type { Catalogue, Clock, Publishing, Store, Vault } from '../context/groups.ts'
import { queueRevocation } from '../credentials/revocation.ts'
import { withAnnouncedChange } from './announced-change.ts'
import { queueErasure } from './erasure.ts'
import { raiseServiceEvent } from './events.ts'
import { queueSync } from './queue-sync.ts'
import { moveStatus } from './status.ts'

/** Thrown when the connection's status does not allow the action. */
export class ActionNotAllowed extends Error {
  readonly status: number

  constructor(connection: Connection, message: string) {
    super(message)
    this.status = connection.status
  }
}

function refuseUnreadable(connection: Connection): void {
  if (!isReadable(connection.status))
    throw new ActionNotAllowed(connection, `a connection in status ${connection.status} cannot be refreshed`)
}

export interface ConnectionTarget {
  instanceId: string
  companyId: string
  serviceId: string
  /** Only this connection, if it is still the company's connection there. */
  connectionId?: string
}

/** Side that suspends: only the owner can resume what the owner paused, and likewise the operator. */
export type PausedBy = keyof Pauses

/** Connection with the id of the run that a request brings about; until it begins, requests share it. */
export type RefreshedConnection = Connection & { runId: string }

/**
 * Queues a sync now; a failing run is replaced by a new one. Null when the connection does not exist; throws
 * `ActionNotAllowed` when it waits for its owner, is suspended or ended.
 */
export async function requestRefresh(deps: Store & Publishing, target: ConnectionTarget): Promise<RefreshedConnection | null> {
  return await refreshConnection(deps, target, 'connection.refresh-requested')
}

/**
 * Confirms held-back deletions: reads the connection now and trusts its next complete listing, however many records are
 * missing.
 */
export async function acceptDeletions(deps: Store & Publishing, target: ConnectionTarget): Promise<RefreshedConnection | null> {
  return await refreshConnection(deps, target, 'connection.deletions-accepted')
}

async function refreshConnection(
  deps: Store & Publishing,
  target: ConnectionTarget,
  action: 'connection.refresh-requested' | 'connection.deletions-accepted',
): Promise<RefreshedConnection | null> {
  let runId = ''
  const connection = await changeConnection(deps.database, deps, target, async (db, locked) => {
    refuseUnreadable(locked)
    if (action === 'connection.deletions-accepted') await writeAcceptsDeletions(db, locked.instanceId, locked.id, true)
    runId = await refreshNow(db, locked)
    await record(db, action, locked)
  })
  return connection && { ...connection, runId }
}

/** Suspends reading until resumed; published data stays readable. Idempotent. */
export async function suspend(
  deps: Store & Catalogue & Publishing,
  target: ConnectionTarget,
  by: PausedBy = 'operator',
): Promise<Connection | null> {
  return await changeConnection(deps.database, deps, target, async (db, connection) => {
    const isReading = connection.status !== Status.Suspended
    if (isReading && (!connection.entityId || !isLegalTransition(connection.status, Status.Suspended))) {
      throw new ActionNotAllowed(connection, `a connection in status ${connection.status} cannot be suspended`)
    }
    const pauses = await readPauses(db, connection)
    await writePauses(db, connection, { ...pauses, [by]: pauses[by] ?? (await databaseTime(db)) })
    if (isReading) await stopReading(db, deps.sources, connection, by)
    await record(db, 'connection.suspended', connection)
  })
}

async function stopReading(db: Db, sources: Sources, connection: Connection, by: PausedBy): Promise<void> {
  await abandonRuns(db, connection)
  await writeSuspension(
    db,
    connection.instanceId,
    connection.id,
    connection.status === Status.Loading ? Status.Authorized : connection.status,
  )
  await moveStatus(db, connection, Status.Suspended, by === 'owner' ? statusMessage('pausedByOwner', 'paused by the owner') : '')
  await clearTrouble(db, connection.instanceId, connection.id)
  const cause = `suspension/${await getNewestStatusChange(db, connection.instanceId, connection.id)}`
  await raiseServiceEvent(db, sources, 'Suspended', connection, cause)
}

/**
 * Returns to the previous status and refreshes at once, unless the other side keeps it suspended. Throws
 * `ActionNotAllowed`.
 */
export async function resume(deps: Store & Publishing, target: ConnectionTarget, by: PausedBy = 'operator'): Promise<Connection | null> {
  return await changeConnection(deps.database, deps, target, async (db, connection) => {
    if (connection.status !== Status.Suspended) throw new ActionNotAllowed(connection, 'the connection is not suspended')
    const pauses = await readPauses(db, connection)
    if (by === 'operator' && pauses.owner) {
      throw new ActionNotAllowed(connection, 'the owner has paused the connection, and only the owner can let it go on')
    }
    const left = { ...pauses, [by]: null }
    await writePauses(db, connection, left)
    if (!left.owner && !left.operator) await readAgain(db, connection, by)
    await record(db, 'connection.resumed', connection)
  })
}

async function readAgain(db: Db, connection: Connection, by: PausedBy): Promise<void> {
  const back = connection.resumeStatus ?? Status.Authorized
  await moveStatus(db, connection, back, by === 'owner' ? statusMessage('continuedByOwner', 'continued by the owner') : '')
  await writeSuspension(db, connection.instanceId, connection.id, null)
  if (back !== Status.Deauthorized) await queueSync(db, connection, 'resume')
}

/**
 * Ends the connection for good: from this commit on nobody reads its data, nothing is written to it and its credentials
 * are removed from the row. One job then deletes the data and raises the Disconnected event; another revokes the access
 * at the source, with retries.
 */
export async function disconnect(deps: Store & Vault & Clock & Publishing, target: ConnectionTarget): Promise<Connection | null> {
  return await changeConnection(deps.database, deps, target, async (db, connection, readLeaseMs) => {
    if (connection.status === Status.Disconnected) throw new ActionNotAllowed(connection, 'the connection is disconnected already')
    await endConnection(db, deps, connection, { readLeaseMs, how: 'disconnected', keepDays: 0 })
    await record(db, 'connection.disconnected', connection)
  })
}

/**
 * The same in the caller's transaction, on a locked connection whose change was announced. With `keepDays` the data is
 * kept for that long, visible to the owner only; the event is raised nevertheless.
 */
export async function endConnection(
  db: Db,
  deps: Vault & Clock,
  connection: Connection,
  end: { readLeaseMs: number; how: ConsentEnd; keepDays: number },
): Promise<void> {
  await abandonRuns(db, connection)
  await abandonAuthorizations(db, connection.instanceId, connection.id)
  await closePublication(db, connection, end.readLeaseMs)
  await deleteAccountWords(db, connection)
  if (connection.category === 'Banking') await forgetMatches(db, connection)
  // Revoke outstanding links, so that none of them reconnects what was ended.
  await revokeLinks(db, connection.instanceId, connection.companyId, connection.serviceId)
  await queueRevocation(db, deps, connection)
  await shredCredentials(db, connection.instanceId, [connection.id])
  await endConsentsOfConnection(db, connection.instanceId, connection.id, { endedAt: deps.now(), how: end.how })
  await moveStatus(
    db,
    connection,
    Status.Disconnected,
    end.how === 'withdrawn' ? statusMessage('withdrawnByOwner', 'withdrawn by the owner') : '',
  )
  await clearTrouble(db, connection.instanceId, connection.id)
  await writeEraseIn(db, connection, end.keepDays)
  await queueErasure(db, connection, end.keepDays > 0)
}

/** An account that resembled two accounts of the company may now resemble only one. */
async function forgetMatches(db: Db, connection: Connection): Promise<void> {
  await deleteMatchesOfService(db, connection, connection.serviceId)
  await queueAccountMatching(db, connection)
}

/** Changes the company's current connection at a service, locked; null when there is none. */
export async function changeConnection(
  database: Database,
  publishing: Publishing,
  target: ConnectionTarget,
  act: (db: Db, connection: Connection, readLeaseMs: number) => Promise<void>,
): Promise<Connection | null> {
  return await withAnnouncedChange(database, publishing, async (db, readLeaseMs) => {
    const newest = await findCurrentConnection(db, target.instanceId, target.companyId, target.serviceId)
    const connection = newest && (await lockConnection(db, newest.instanceId, newest.id))
    if (!connection || (target.connectionId !== undefined && target.connectionId !== connection.id)) return null
    await act(db, connection, readLeaseMs)
    return connection
  })
}

/**
 * Returns the id of the run that begins after this. NOTE a run in progress, or one waiting for a pause of the source,
 * has not failed and continues before that one; a run that no worker holds is abandoned.
 */
async function refreshNow(db: Db, connection: Connection): Promise<string> {
  const key = `connection/${connection.id}`
  const hasFailed = await resetAttempts(db, 'sync', key)
  if (hasFailed || !(await isQueued(db, 'sync', key))) await abandonRuns(db, connection)
  const runId = (await findPromisedRun(db, connection)) ?? randomUUID()
  await queueSync(db, connection, 'refresh', { isAwaited: true, requestedAt: (await databaseTime(db)).toISOString(), runId })
  return runId
}

async function record(db: Db, action: ActionName, { instanceId, id, companyId, serviceId }: Connection): Promise<void> {
  await recordChange(db, { instanceId, action, subject: `connection/${id}`, details: { companyId, serviceId } })
}
