import type { Handler } from '../jobs/worker.ts'
import { isLegalMove, Status } from '../model/statuses.ts'
import { expireAuthorizations, hasAuthorization } from '../store/authorizations.ts'
import { lockConnection } from '../store/connections.ts'
import { inTransaction } from '../store/database.ts'
import type { RunReason } from '../store/sync-runs.ts'
import { completeByMatch } from './authorize.ts'
import type { SyncDeps } from './deps.ts'
import { syncDirectory } from './directory.ts'
import { afterFailure } from './failure.ts'
import { eraseConnection } from './farewell.ts'
import { runSync } from './run.ts'
import { moveStatus } from './status.ts'

const DIRECTORY_HOURS = 24

/** The kinds of jobs of this room and what each does. */
export function syncHandlers(deps: SyncDeps): Record<'sync' | 'erase' | 'directory' | 'complete', Handler> {
  return {
    sync: async (job, signal) => {
      const place = { instanceId: job.instanceId, connectionId: String(job.payload.connectionId), attempt: job.attempts }
      try {
        const result = await runSync(deps, {
          ...place,
          reason: job.payload.reason as RunReason,
          isAwaited: job.payload.isAwaited === true,
          isStopping: signal.isStopping,
        })
        deps.log.info({ connectionId: place.connectionId, result }, 'sync done')
        return { done: true }
      } catch (error) {
        if (signal.isStopping()) return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
        return await afterFailure(deps, place, error)
      }
    },
    erase: async (job) => {
      await eraseConnection(deps, {
        instanceId: job.instanceId,
        connectionId: String(job.payload.connectionId),
        farewell: job.payload.farewell ?? null,
        attempt: job.attempts,
      })
      return { done: true }
    },
    // An authorization completes once, so there is nothing to try again.
    complete: async (job) => {
      const linked = await completeByMatch(deps, Buffer.from(String(job.payload.match), 'base64url')).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'an authorization could not be completed by webhook')
        return null
      })
      if (linked) deps.log.info({ connectionIds: linked.map(({ connectionId }) => connectionId) }, 'authorization completed by webhook')
      return { done: true }
    },
    directory: async (job) => {
      const source = deps.sources.get(String(job.payload.connectorKey))
      if (source?.isEnabled) {
        const count = await syncDirectory(deps, source)
        deps.log.info({ connector: source.description.key, count }, 'directory read')
      }
      return { done: false, inMs: DIRECTORY_HOURS * 3_600_000, isFailure: false, reason: 'nightly' }
    },
  }
}

/** Owners who did not come back in time: their connections say so. */
export async function timeOutAuthorizations(deps: SyncDeps): Promise<number> {
  return await inTransaction(deps.database, async (db) => {
    const expired = await expireAuthorizations(db)
    for (const { instanceId, connectionId } of expired) {
      const connection = await lockConnection(db, instanceId, connectionId)
      if (!connection || connection.status !== Status.Authorization || (await hasAuthorization(db, instanceId, connectionId))) continue
      if (isLegalMove(connection.status, Status.AuthorizationTimedOut)) await moveStatus(db, connection, Status.AuthorizationTimedOut)
    }
    return expired.length
  })
}
