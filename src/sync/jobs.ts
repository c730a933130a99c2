import { SourceError } from '../connectors/contract/contract.ts'
import { instanceScopedHandler } from '../jobs/instance-scoped-handler.ts'
import { backoffMs, type Handler } from '../jobs/worker.ts'
import type { RunReason } from '../store/connections/sync-runs.ts'
import { handleCompletionJob } from './authorize/completion.ts'
import { eraseConnection } from './connection/erasure.ts'
import type { SyncDeps } from './context/deps.ts'
import { revoke } from './credentials/revocation.ts'
import { pollFeed } from './file-feeds/file-feed.ts'
import { keepSubscribed } from './provider-webhooks/subscribe.ts'
import { handleReplayJob } from './replay/replay.ts'
import { refreshCoverage } from './runs/coverage.ts'
import { keepAlive } from './runs/credentials-keep-alive.ts'
import { afterFailure } from './runs/failure.ts'
import { runSync } from './runs/run.ts'
import { syncDirectory } from './sources/directory.ts'
import { sourceOfDeployment } from './sources/source-keys.ts'

const DIRECTORY_HOURS = 24

/** Handlers of this room's job kinds. */
export function syncHandlers(
  deps: SyncDeps,
): Record<'sync' | 'erase' | 'revoke' | 'directory' | 'complete' | 'keepAlive' | 'replay' | 'coverage' | 'fileFeed', Handler> {
  return {
    sync: instanceScopedHandler(async (job, signal) => {
      const place = { instanceId: job.instanceId, connectionId: String(job.payload.connectionId), attempt: job.attempts }
      try {
        const result = await runSync(deps, {
          ...place,
          reason: job.payload.reason as RunReason,
          isAwaited: job.payload.isAwaited === true,
          requestedAt: typeof job.payload.requestedAt === 'string' ? new Date(job.payload.requestedAt) : null,
          isStopping: signal.isStopping,
        })
        deps.log.info({ connectionId: place.connectionId, result }, 'sync done')
        await keepSubscribed(deps, place)
        return { done: true }
      } catch (error) {
        if (signal.isStopping()) return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
        return await afterFailure(deps, { ...place, reason: job.payload.reason as RunReason }, error)
      }
    }),
    erase: instanceScopedHandler(async (job) => {
      const { connectionId, keepsData } = job.payload
      await eraseConnection(deps, { instanceId: job.instanceId, connectionId: String(connectionId), keepsData: keepsData === true })
      return { done: true }
    }),
    revoke: instanceScopedHandler(async (job) => await revoke(deps, job)),
    fileFeed: instanceScopedHandler(
      async (job, signal) =>
        await pollFeed(deps, { instanceId: job.instanceId, id: String(job.payload.feedId), isStopping: signal.isStopping }),
    ),
    keepAlive: instanceScopedHandler(
      async (job) =>
        await keepAlive(deps, { instanceId: job.instanceId, connectionId: String(job.payload.connectionId), attempt: job.attempts }),
    ),
    replay: instanceScopedHandler(
      async (job, signal) =>
        await handleReplayJob(deps, {
          instanceId: job.instanceId,
          connectionId: String(job.payload.connectionId),
          attempt: job.attempts,
          isStopping: signal.isStopping,
        }),
    ),
    coverage: instanceScopedHandler(async (job) => {
      const { companyId, serviceId, category } = job.payload
      const scope = { instanceId: job.instanceId, companyId: String(companyId), serviceId: String(serviceId) }
      await refreshCoverage(deps.database, scope, category === 'Banking' ? 'Banking' : 'Accounting')
      return { done: true }
    }),
    complete: async (job) =>
      await handleCompletionJob(deps, { match: Buffer.from(String(job.payload.match), 'base64url'), attempt: job.attempts }),
    directory: deferWhileRateLimited(async (job) => {
      const known = deps.sources.get(String(job.payload.connectorKey))
      const source = known && (await sourceOfDeployment(deps, known))
      if (source?.isEnabled) {
        const count = await syncDirectory(deps, source)
        deps.log.info({ connector: source.description.key, count }, 'directory read')
      }
      return { done: false, inMs: DIRECTORY_HOURS * 3_600_000, isFailure: false, reason: 'nightly' }
    }),
  }
}

/** Rate limiting by a source, or an alarm, is not a failure: the job is retried later. */
function deferWhileRateLimited(handler: Handler): Handler {
  return async (job, signal) => {
    try {
      return await handler(job, signal)
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'rateLimited') throw error
      const inMs = Math.max(1_000, error.retryAfterMs ?? backoffMs(job.attempts))
      return { done: false, inMs, isFailure: false, reason: error.message }
    }
  }
}
