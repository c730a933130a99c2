import { SourceError } from '../../connectors/contract/contract.ts'
import type { Source, Sources } from '../../connectors/sources.ts'
import type { Outcome } from '../../jobs/worker.ts'
import { Status } from '../../model/statuses.ts'
import { writeFault } from '../../store/connections/connection-faults.ts'
import { findConnection, lockConnection, writeSuspension } from '../../store/connections/connections.ts'
import { listIdleCredentials } from '../../store/connections/credentials.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { ensureJob } from '../../store/jobs/jobs.ts'
import type { CredentialsContext } from '../credentials/context.ts'
import { openCredentials } from '../credentials/credentials-open.ts'
import { findService } from '../sources/catalogue.ts'
import { sourceOfConnection } from '../sources/source-keys.ts'
import type { FailureContext } from './context.ts'
import { afterFailure, faultOf } from './failure.ts'

/** Maximum age of unused credentials: a week, and never more than half of what the source allows. */
const MAX_DAYS = 7
const AT_ONCE = 1_000

interface KeepAliveJob {
  instanceId: string
  connectionId: string
  attempt: number
}

/**
 * Keep-alive: queues a refresh of credentials that would expire unused, e.g. of suspended connections; returns their
 * number. Safe in any process.
 */
export async function enqueueKeepAlives(db: Db, sources: Sources): Promise<number> {
  const idle = await listIdleCredentials(db, listIdleLimits(sources), AT_ONCE)
  for (const { instanceId, connectionId, connectorKey } of idle) {
    const payload = { connectionId }
    await ensureJob(db, { instanceId, kind: 'keepAlive', key: `keep-alive/${connectionId}`, provider: connectorKey, payload })
  }
  return idle.length
}

function listIdleLimits(sources: Sources): { connectorKey: string; days: number; isEnabled: boolean }[] {
  return [...sources.values()].flatMap(({ description: { key, idleDays }, isEnabled }) =>
    idleDays === undefined ? [] : [{ connectorKey: key, days: Math.min(MAX_DAYS, idleDays / 2), isEnabled }],
  )
}

/** Refreshes the credentials of one connection, whatever their age. A failed one is queued again by the next tick. */
export async function keepAlive(deps: CredentialsContext & FailureContext, job: KeepAliveJob): Promise<Outcome> {
  const connection = await findConnection(deps.database, job.instanceId, job.connectionId)
  const service = connection && (await findService(deps.database, deps.sources, connection.instanceId, connection.serviceId))
  if (!connection || !service || connection.status === Status.Disconnected) return { done: true }
  try {
    await renew(deps, await sourceOfConnection(deps, service.source, connection), connection)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (error.kind === 'reconnect') return await afterEnd(deps, job, error)
    deps.log.warn({ connectionId: job.connectionId, kind: error.kind }, error.message)
  }
  return { done: true }
}

async function renew(
  deps: CredentialsContext,
  source: Source,
  connection: { instanceId: string; id: string; credentialsGeneration: number },
) {
  await openCredentials(deps, source, await source.load(), connection, connection.credentialsGeneration)
}

/** A suspended connection stays suspended; when resumed it needs its owner. */
async function afterEnd(deps: FailureContext, job: KeepAliveJob, error: SourceError): Promise<Outcome> {
  const isSuspended = await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, job.instanceId, job.connectionId)
    if (connection?.status !== Status.Suspended) return false
    await writeSuspension(db, connection.instanceId, connection.id, Status.Deauthorized)
    await writeFault(db, connection.instanceId, connection.id, faultOf(error))
    return true
  })
  return isSuspended ? { done: true } : await afterFailure(deps, job, error)
}
