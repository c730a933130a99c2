import { SourceError } from '../connectors/contract/contract.ts'
import { instanceScopedHandler } from '../jobs/instance-scoped-handler.ts'
import type { JobSignal } from '../jobs/running-job.ts'
import { backoffMs, type Handler, type Outcome } from '../jobs/worker.ts'
import type { RunReason } from '../store/connections/sync-runs.ts'
import type { Job } from '../store/jobs/jobs.ts'
import { matchAccounts } from './accounts/match-accounts.ts'
import { handleCompletionJob } from './authorize/completion.ts'
import { eraseConnection } from './connection/erasure.ts'
import type { SyncDeps } from './context/deps.ts'
import { revoke } from './credentials/revocation.ts'
import { RecordPace } from './exports/record-pace.ts'
import { runExport } from './exports/run-export.ts'
import { pollFeed } from './file-feeds/file-feed.ts'
import { keepSubscribed } from './provider-webhooks/subscribe.ts'
import { handleReplayJob } from './replay/replay.ts'
import { refreshCoverage } from './runs/coverage.ts'
import { keepAlive } from './runs/credentials-keep-alive.ts'
import { afterFailure } from './runs/failure.ts'
import { runSync } from './runs/run.ts'
import { rescheduleFollowers } from './schedules/refresh-schedule.ts'
import { syncDirectory } from './sources/directory.ts'
import { sourceOfDeployment, sourceOfInstance } from './sources/source-keys.ts'

const DIRECTORY_HOURS = 24

type SyncKind =
  | 'sync'
  | 'erase'
  | 'revoke'
  | 'directory'
  | 'complete'
  | 'keepAlive'
  | 'replay'
  | 'coverage'
  | 'accountMatches'
  | 'fileFeed'
  | 'reschedule'
  | 'export'

/** Handlers of this room's job kinds. */
export function syncHandlers(deps: SyncDeps): Record<SyncKind, Handler> {
  const pace = new RecordPace()
  return {
    sync: instanceScopedHandler((job, signal) => handleSync(deps, job, signal)),
    erase: instanceScopedHandler(async (job) => {
      await eraseConnection(deps, { ...connectionOf(job), keepsData: job.payload.keepsData === true })
      return { done: true }
    }),
    revoke: instanceScopedHandler((job) => revoke(deps, job)),
    fileFeed: instanceScopedHandler((job, { isStopping }) =>
      pollFeed(deps, { instanceId: job.instanceId, id: String(job.payload.feedId), isStopping }),
    ),
    keepAlive: instanceScopedHandler((job) => keepAlive(deps, { ...connectionOf(job), attempt: job.attempts })),
    replay: instanceScopedHandler((job, signal) => handleReplayJob(deps, job, signal)),
    coverage: instanceScopedHandler(async (job) => {
      const { companyId, serviceId, category } = job.payload
      const scope = { instanceId: job.instanceId, companyId: String(companyId), serviceId: String(serviceId) }
      await refreshCoverage(deps.database, scope, category === 'Banking' ? 'Banking' : 'Accounting')
      return { done: true }
    }),
    accountMatches: instanceScopedHandler(async ({ instanceId, payload }) => {
      await matchAccounts(deps, { instanceId, companyId: String(payload.companyId) })
      return { done: true }
    }),
    reschedule: instanceScopedHandler(async (job) => {
      await rescheduleFollowers(deps.database, job)
      return { done: true }
    }),
    export: instanceScopedHandler((job, signal) => runExport({ ...deps, pace }, job, signal)),
    complete: (job) => handleCompletionJob(deps, { match: Buffer.from(String(job.payload.match), 'base64url'), attempt: job.attempts }),
    directory: deferWhileRateLimited((job) => handleDirectory(deps, job)),
  }
}

function connectionOf({ instanceId, payload }: Job): { instanceId: string; connectionId: string } {
  return { instanceId, connectionId: String(payload.connectionId) }
}

async function handleSync(deps: SyncDeps, job: Job, signal: JobSignal): Promise<Outcome> {
  const { payload } = job
  const run = { ...connectionOf(job), reason: payload.reason as RunReason }
  try {
    const result = await runSync(deps, {
      ...run,
      isAwaited: payload.isAwaited === true,
      runId: typeof payload.runId === 'string' ? payload.runId : null,
      requestedAt: typeof payload.requestedAt === 'string' ? new Date(payload.requestedAt) : null,
      isStopping: signal.isStopping,
      onPage: signal.advance,
    })
    deps.log.info({ connectionId: run.connectionId, result }, 'sync done')
    await keepSubscribed(deps, run)
    return { done: true }
  } catch (error) {
    if (signal.isStopping()) return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
    return await afterFailure(deps, { ...run, attempt: job.attempts }, error)
  }
}

async function handleDirectory(deps: SyncDeps, job: Job): Promise<Outcome> {
  const { connectorKey, instanceId } = job.payload
  const known = deps.sources.get(String(connectorKey))
  const source =
    known && (await (typeof instanceId === 'string' ? sourceOfInstance(deps, known, instanceId) : sourceOfDeployment(deps, known)))
  if (source?.isEnabled) {
    const count = await syncDirectory(deps, source)
    deps.log.info({ connector: source.description.key, count }, 'directory read')
  }
  return { done: false, inMs: DIRECTORY_HOURS * 3_600_000, isFailure: false, reason: 'nightly' }
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
