import { randomUUID } from 'node:crypto'
import { type Credentials, SourceError } from '../../connectors/contract/contract.ts'
import { backoffMs, MAX_ATTEMPTS, type Outcome } from '../../jobs/worker.ts'
import { statusMessage } from '../../model/texts/status-messages.ts'
import { type Connection, findConnection, noteStatus } from '../../store/connections/connections.ts'
import { listConnectionsWithVersions } from '../../store/connections/credential-versions.ts'
import { findCredentials, listCredentials } from '../../store/connections/credentials.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { deleteJobsDeadFor } from '../../store/jobs/dead-jobs.ts'
import { deleteRunningJob, enqueueJob, enqueueNewJobs, type Job, type NewJob } from '../../store/jobs/jobs.ts'
import { openJson } from '../../store/keys/sealed-json.ts'
import { SealError } from '../../store/keys/sealing.ts'
import { addUnrevoked } from '../../store/operators/erasures.ts'
import type { Catalogue, Clock, Logging, Store, Vault } from '../context/groups.ts'
import { bindToConnection, sourceOfAuthorization } from '../sources/source-keys.ts'
import type { CredentialsContext } from './context.ts'
import { credentialsContext } from './credentials.ts'
import { reconcileIn } from './credentials-versions.ts'

/** Kind of the job. */
export const REVOKE = 'revoke'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Unused credentials are kept no longer than this, whether the revocation succeeded or not. */
const GIVE_UP_AFTER_MS = DAY_MS
const MAX_WAIT_MS = 6 * 60 * MINUTE_MS

/** Access to be revoked at a source. */
type Access = Pick<Connection, 'instanceId' | 'id' | 'connectorKey' | 'sourceKeysId'>

function sealContext(access: Pick<Access, 'instanceId' | 'id'>) {
  return { instanceId: access.instanceId, table: 'jobs', rowId: access.id, column: 'farewell' }
}

/** Queues the revocation of a connection's current credentials at the source; call it before they are erased. */
export async function queueRevocation(db: Db, deps: Vault & Clock, connection: Connection): Promise<void> {
  await reconcileIn(db, deps, connection)
  const stored = await findCredentials(db, connection.instanceId, connection.id)
  if (!stored) return
  await enqueueJob(db, toJob(deps, connection, deps.sealer.open(credentialsContext(connection, stored.generation), stored.sealed)))
}

/**
 * The same for locked connections of one instance. Returns the number of those whose credentials no key decrypts: they
 * cannot be revoked, and must not block the others.
 */
export async function queueRevocations(
  db: Db,
  deps: Vault & Clock,
  instanceId: string,
  connections: readonly Connection[],
): Promise<number> {
  const byId = new Map(connections.map((connection) => [connection.id, connection]))
  const unreadable = new Set<string>()
  const unlessUnreadable = async <T>(id: string, work: (connection: Connection) => T | Promise<T>): Promise<T | undefined> => {
    const connection = byId.get(id)
    try {
      return connection && (await work(connection))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      unreadable.add(id)
      return undefined
    }
  }
  for (const id of await listConnectionsWithVersions(db, instanceId, [...byId.keys()]))
    await unlessUnreadable(id, (connection) => reconcileIn(db, deps, connection))
  const readable = [...byId.keys()].filter((id) => !unreadable.has(id))
  const jobs: NewJob[] = []
  for (const { connectionId, sealed, generation } of await listCredentials(db, instanceId, readable)) {
    const job = await unlessUnreadable(connectionId, (connection) =>
      toJob(deps, connection, deps.sealer.open(credentialsContext(connection, generation), sealed)),
    )
    if (job) jobs.push(job)
  }
  await enqueueNewJobs(db, jobs)
  return unreadable.size
}

/** The same for credentials that arrived after their connection had ended. */
export async function queueRevocationOf(db: Db, deps: Vault & Clock, access: Access, credentials: Credentials): Promise<void> {
  await enqueueJob(db, toJob(deps, access, Buffer.from(JSON.stringify(credentials))))
}

function toJob(deps: Vault & Clock, access: Access, credentials: Uint8Array): NewJob {
  const { instanceId, id: connectionId, connectorKey, sourceKeysId } = access
  return {
    instanceId,
    kind: REVOKE,
    // A key per set of credentials: a queued job with the same key would be replaced.
    key: `revoke/${connectionId}/${randomUUID()}`,
    provider: connectorKey,
    payload: {
      ...{ connectionId, connectorKey, sourceKeysId },
      farewell: Buffer.from(deps.sealer.seal(sealContext(access), credentials)).toString('base64'),
      giveUpAt: new Date(deps.now().getTime() + GIVE_UP_AFTER_MS).toISOString(),
    },
  }
}

/**
 * Revocation job. Retries while the source is down or rate limits us, for a day at most; then, or when the source no
 * longer knows the credentials, the job ends and the credentials with it.
 */
export async function revoke(deps: CredentialsContext & Catalogue, job: Job): Promise<Outcome> {
  const { payload, instanceId, attempts } = job
  const access: Access = {
    instanceId,
    id: String(payload.connectionId),
    connectorKey: String(payload.connectorKey),
    sourceKeysId: typeof payload.sourceKeysId === 'string' ? payload.sourceKeysId : null,
  }
  try {
    await revokeAtSource(deps, access, String(payload.farewell))
    await deps.crashPoint?.('after-revoke-before-done')
    return { done: true }
  } catch (error) {
    const leftMs = Date.parse(String(payload.giveUpAt)) - deps.now().getTime()
    const isRefused = error instanceof SourceError && error.kind === 'reconnect'
    if (isRefused || attempts >= MAX_ATTEMPTS || !(leftMs > 0)) {
      await recordRevocationFailure(deps, job, access, error)
      return { done: true }
    }
    const isWaiting = error instanceof SourceError && error.kind === 'rateLimited'
    const wantedMs = isWaiting ? (error.retryAfterMs ?? backoffMs(attempts)) : waitMs(attempts)
    const reason = error instanceof SourceError ? error.message : 'the source could not be told'
    return { done: false, inMs: Math.min(leftMs, Math.max(1_000, wantedMs)), isFailure: !isWaiting, reason }
  }
}

/** One minute, then four times as long each time: the last attempt is some 18 hours later. */
function waitMs(attempt: number): number {
  return Math.min(MAX_WAIT_MS, MINUTE_MS * 4 ** (attempt - 1))
}

async function revokeAtSource(deps: Store & Vault & Catalogue, access: Access, sealed: string): Promise<void> {
  const known = deps.sources.get(access.connectorKey)
  const connector = await known?.load()
  if (!known || !connector?.disconnect) return
  const source = await sourceOfAuthorization(deps, known, access)
  // The company may have been deleted in the meantime, and with it the books for which the calls count.
  const connection = await findConnection(deps.database, access.instanceId, access.id)
  const { kit } = connection ? bindToConnection(source, connection) : source
  const credentials = openJson<Credentials>(deps.sealer, sealContext(access), Buffer.from(sealed, 'base64'))
  await connector.disconnect(kit, credentials)
}

/**
 * Notes in the connection's history that its access may still exist at the source, where the owner can end it, and in
 * the erasure of its instance. Ends the job in the same transaction, so that no other run of it counts again.
 */
async function recordRevocationFailure({ database, log }: Store & Logging, job: Job, access: Access, error: unknown): Promise<void> {
  const { instanceId, id } = access
  log.warn({ connectionId: id, connector: access.connectorKey, err: error }, 'the access could not be revoked at the source')
  const detail = statusMessage('sourceNotTold', 'the source could not be told; the access may still be shown there')
  const record = async (db: Db) => {
    if (await deleteRunningJob(db, job)) await addUnrevoked(db, instanceId, 1)
    const connection = await findConnection(db, instanceId, id)
    if (connection) await noteStatus(db, instanceId, id, connection.status, connection.status, detail)
  }
  // The erasure belongs to the deployment.
  await acrossInstances(() => inTransaction(database, record))
}

/** Deletes the credentials of revocations that died with their workers; returns their number. */
export async function dropDeadRevocations(db: Db): Promise<number> {
  return await deleteJobsDeadFor(db, REVOKE, GIVE_UP_AFTER_MS)
}
