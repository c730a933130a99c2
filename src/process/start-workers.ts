import type { Registry } from 'prom-client'
import { pruneAccess } from '../api/access/housekeeping.ts'
import { type AuditWriter, ownScope, withinActor } from '../audit/actor.ts'
import { createAuditSink } from '../audit/sinks/create-sink.ts'
import { AuditPump } from '../audit/sinks/pump.ts'
import type { AuditSinkAddress } from '../audit/sinks/sink.ts'
import { createWebhookSink } from '../audit/sinks/webhook-sink.ts'
import { recordUnknownLogins } from '../audit/unknown-logins.ts'
import type { createEgress } from '../egress/egress.ts'
import type { Activity } from '../jobs/activity.ts'
import { instanceScopedHandler } from '../jobs/instance-scoped-handler.ts'
import type { PauseState } from '../jobs/pause-watch.ts'
import { startTicker, type Tick } from '../jobs/ticker.ts'
import { type Handler, startWorker } from '../jobs/worker.ts'
import { mailHandlers } from '../mail/jobs.ts'
import type { MailServer } from '../mail/smtp-transport.ts'
import { quotaWatch } from '../metrics/quotas.ts'
import type { WorkMetrics } from '../metrics/work.ts'
import { closeUsageDays, pruneUsage } from '../store/access/usage.ts'
import { companyTextFiller } from '../store/db/company-texts/fill-texts.ts'
import { companyFiller } from '../store/db/row-companies/fill-rows.ts'
import { ABORT_JOB, DELIVER_JOB, EMPTY_REPLICA_JOB, ERASE_DELIVERED_JOB, REMOVE_JOB } from '../store/exports/deliveries.ts'
import { deleteOldExports } from '../store/exports/exports.ts'
import type { Keys } from '../store/keys/keys.ts'
import { deleteOldMails } from '../store/mail/mails.ts'
import { storedBytesCounter } from '../store/operators/stored-bytes.ts'
import { ownerAddressRetention } from '../store/owners/owner-addresses.ts'
import { helperRetention } from '../store/retention/hand-off-helpers.ts'
import { addPageSpans } from '../store/retention/page-spans.ts'
import { accountIndexer } from '../store/search/account-words.ts'
import { pruneSourceBreakers } from '../store/sources/source-breakers.ts'
import { pruneSourceKeys } from '../store/sources/source-keys.ts'
import { pruneSourceLimits } from '../store/sources/source-limits.ts'
import { timeOutAuthorizations } from '../sync/authorize/authorization-timeout.ts'
import { endExpiredConsents } from '../sync/authorize/consent.ts'
import { queueDueErasures } from '../sync/connection/erasure.ts'
import { applyRetention, type RetentionMonths } from '../sync/connection/retention.ts'
import type { SyncDeps } from '../sync/context/deps.ts'
import { reconcileLeftVersions } from '../sync/credentials/credentials-versions.ts'
import { dropDeadRevocations } from '../sync/credentials/revocation.ts'
import { abortUpload, type DeliveryContext, deliverExport, eraseDelivered, removeDelivered } from '../sync/exports/deliver-export.ts'
import { EXPORT_DAYS } from '../sync/exports/request-export.ts'
import { enqueueDueFeeds, watchFeeds } from '../sync/file-feeds/file-feed-schedule.ts'
import { ERASE_INSTANCE, eraseInstance } from '../sync/instances/erase.ts'
import { syncHandlers } from '../sync/jobs.ts'
import { COMPLETE_RECEIPTS, completeReceipts } from '../sync/owner/complete-receipts.ts'
import { queueReminders } from '../sync/owner/reminders.ts'
import { pageMover } from '../sync/pages/move-pages.ts'
import { removeUnclaimedObjects } from '../sync/pages/remove-objects.ts'
import { emptyReplica, queueDueReplications, REPLICATE_JOB, type ReplicationContext, replicate } from '../sync/replication/replicate.ts'
import { enqueueKeepAlives } from '../sync/runs/credentials-keep-alive.ts'
import { enqueueDue, openDueScan } from '../sync/runs/schedule.ts'
import { queueDirectories } from '../sync/sources/directory.ts'
import { Dispatcher } from '../webhooks/dispatcher.ts'
import { addEventWeeks } from '../webhooks/event-partitions.ts'
import { pruneEvents } from '../webhooks/retention.ts'
import { ExportProcess } from './exports/export-process.ts'
import type { ExportSettings } from './exports/messages.ts'
import { reEncryptOld } from './keys/key-rotation.ts'
import type { Logger } from './log.ts'
import { lazySmtpTransport } from './start-mail.ts'

const SYNCS_AT_ONCE = 8
/** Interval while the process rests: work that becomes due by its time alone waits this long at most. */
const REST_MS = 10_000

export interface WorkerParts {
  egress: ReturnType<typeof createEgress>
  log: Logger
  closers: (() => Promise<unknown>)[]
  keys: Keys
  /** Writer of audit entries. */
  writer: AuditWriter
  retention: RetentionMonths
  auditMonths: number | null
  auditSink: AuditSinkAddress | null
  /** No trailing slash. */
  publicUrl: string
  mailServer: MailServer | null
  work: WorkMetrics
  pause: PauseState
  activity: Activity
  metrics: Registry
  /** For a process of their own; null: exports are written in this one. */
  exports: ExportSettings | null
}

/** Background work: jobs, webhooks, mails, watched folders and periodic tasks. */
export function openWorkers(sync: SyncDeps, parts: WorkerParts): Promise<void> {
  return withinActor(ownScope(parts.writer, 'job'), () => openAll(sync, parts))
}

async function openAll(sync: SyncDeps, parts: WorkerParts): Promise<void> {
  const { egress, log, closers, mailServer, work, pause, activity } = parts
  const isPaused = () => pause.current() !== null
  const { database, sealer } = sync
  const transport = mailServer && lazySmtpTransport(mailServer)
  const exporting = parts.exports && new ExportProcess({ database, log, settings: parts.exports })
  const worker = startWorker({
    database,
    handlers: {
      ...syncHandlers(sync),
      ...(exporting ? { export: instanceScopedHandler((job, signal) => exporting.run(job, signal)) } : {}),
      ...destinationHandlers({ ...sync, egress, allowPrivate: sync.feeds?.allowPrivate ?? false }),
      [COMPLETE_RECEIPTS]: instanceScopedHandler((job) => completeReceipts({ database, signing: parts.keys.signing }, job)),
      [ERASE_INSTANCE]: (job, { isStopping }) => eraseInstance({ ...sync, signing: parts.keys.signing }, job, isStopping),
      ...(transport ? mailHandlers({ database, sealer, transport, log, onAttempt: work.countMail }) : {}),
    },
    concurrency: SYNCS_AT_ONCE,
    isPaused,
    activity,
    onError: (error, job) => log.error({ err: error, jobId: job?.id, kind: job?.kind }, 'job failed'),
    onDeadJob: (job) => log.error({ ...job }, 'job set aside after its last attempt'),
  })
  if (sync.feeds?.dir) {
    const watcher = watchFeeds(sync.database, sync.log, sync.feeds.dir)
    closers.push(() => watcher.close())
  }
  const own = { publicUrl: parts.publicUrl, hashToken: sync.hashToken }
  const dispatcher = new Dispatcher({ database, egress, sealer, log, own, isPaused, activity, onAttempt: work.countDelivery })
  dispatcher.start()
  let isStopping = false
  const ticker = startTicker(
    listPeriodicTasks(sync, parts, () => isStopping || isPaused()),
    (error, name) => log.error({ err: error, tick: name }, 'tick failed'),
    isPaused,
    activity,
  )
  closers.push(async () => {
    isStopping = true
    await Promise.all([ticker.stop(), worker.stop(), dispatcher.stop()])
    await exporting?.close()
    transport?.close()
  })
}

/** Jobs of destinations: files delivered and deleted, rows replicated and deleted. */
function destinationHandlers(deps: DeliveryContext & ReplicationContext): Record<string, Handler> {
  return {
    [DELIVER_JOB]: instanceScopedHandler((job, signal) => deliverExport(deps, job, signal)),
    [ERASE_DELIVERED_JOB]: instanceScopedHandler((job) => eraseDelivered(deps, job)),
    [REMOVE_JOB]: instanceScopedHandler((job) => removeDelivered(deps, job)),
    [ABORT_JOB]: instanceScopedHandler((job) => abortUpload(deps, job)),
    [REPLICATE_JOB]: instanceScopedHandler((job, { isStopping }) => replicate(deps, job, isStopping)),
    [EMPTY_REPLICA_JOB]: instanceScopedHandler((job) => emptyReplica(deps, job)),
  }
}

/** Tasks that every process runs; each does what is due, so that it does not matter which process comes first. */
export function listPeriodicTasks(sync: SyncDeps, parts: WorkerParts, isStopping: () => boolean): Tick[] {
  const { keys, log, writer, retention, auditMonths, work, metrics } = parts
  const { database, sealer } = sync
  const pumps = openPumps(sync, parts, isStopping)
  const due = openDueScan()
  const forgetOwnerAddresses = ownerAddressRetention(database)
  const forgetHelpers = helperRetention(database)
  return [
    { name: 'queue due syncs', everyMs: 1_000, restMs: REST_MS, run: () => enqueueDue(database, 0, due) },
    { name: 'queue feeds of files', everyMs: 2_000, restMs: REST_MS, run: () => enqueueDueFeeds(database) },
    { name: 'queue replications', everyMs: 5_000, restMs: REST_MS, run: () => queueDueReplications(database) },
    { name: 'queue directories', everyMs: 3_600_000, run: () => queueDirectories(sync) },
    { name: 'keep credentials alive', everyMs: 3_600_000, run: () => enqueueKeepAlives(database, sync.sources) },
    { name: 'reconcile credentials', everyMs: 60_000, run: () => reconcileLeftVersions(database, sync) },
    { name: 'end consents', everyMs: 2_000, restMs: REST_MS, run: () => endExpiredConsents(sync) },
    { name: 'time out authorizations', everyMs: 30_000, run: () => timeOutAuthorizations(database, sync.sources) },
    { name: 'pass audit entries on', everyMs: 1_000, restMs: REST_MS, run: () => Promise.all(pumps.map((pump) => pump.run())) },
    { name: 'record unknown logins', everyMs: 10_000, run: () => recordUnknownLogins(database, writer) },
    { name: 'index accounts', everyMs: 2_000, restMs: REST_MS, run: accountIndexer(database, isStopping) },
    { name: 'count stored bytes', everyMs: 600_000, run: storedBytesCounter(database, isStopping) },
    { name: 'fill companies of rows', everyMs: 600_000, run: companyFiller(database, isStopping) },
    { name: 'fill texts of companies', everyMs: 60_000, run: companyTextFiller(database, isStopping) },
    { name: 'watch quotas', everyMs: 600_000, run: quotaWatch(database, metrics, log) },
    { name: 'tidy access', everyMs: 3_600_000, run: () => pruneAccess(database, sync.now(), auditMonths) },
    { name: 'close days of usage', everyMs: 3_600_000, run: () => closeUsageDays(database) },
    { name: 'tidy usage', everyMs: 6 * 3_600_000, run: () => pruneUsage(database) },
    { name: 'tidy sources', everyMs: 3_600_000, run: () => Promise.all([pruneSourceLimits(database), pruneSourceBreakers(database)]) },
    { name: 'tidy source keys', everyMs: 3_600_000, run: () => pruneSourceKeys(database) },
    { name: 'tidy exports', everyMs: 3_600_000, run: () => deleteOldExports(database, EXPORT_DAYS) },
    { name: 'make event partitions', everyMs: 3_600_000, run: () => addEventWeeks(database, log) },
    { name: 'make page partitions', everyMs: 3_600_000, run: () => addPageSpans(database, retention.rawPages, log) },
    { name: 'tidy events', everyMs: 3_600_000, run: () => pruneEvents(database, isStopping) },
    { name: 're-encrypt', everyMs: 600_000, run: () => reEncryptOld(database, keys.sealing, sealer, log) },
    { name: 'erase what was kept', everyMs: 600_000, run: () => queueDueErasures(database) },
    { name: 'drop dead revocations', everyMs: 3_600_000, run: () => dropDeadRevocations(database) },
    { name: 'remind owners', everyMs: 600_000, run: () => queueReminders(sync) },
    ...listPageTasks(sync, isStopping),
    {
      name: 'tidy mails',
      everyMs: 3_600_000,
      run: () => Promise.all([deleteOldMails(database), forgetHelpers(), forgetOwnerAddresses()]),
    },
    {
      name: 'apply retention',
      everyMs: 6 * 3_600_000,
      run: () => applyRetention(database, retention, { onDeleted: work.countExpired, isStopping }),
    },
  ]
}

/** Raw pages in object storage; none where no bucket is named. */
function listPageTasks(sync: SyncDeps, isStopping: () => boolean): Tick[] {
  if (!sync.pageObjects) return []
  const deps = { ...sync, pageObjects: sync.pageObjects }
  return [
    { name: 'move raw pages', everyMs: 60_000, run: pageMover(deps, isStopping) },
    { name: 'remove objects of raw pages', everyMs: 30_000, run: () => removeUnclaimedObjects(deps, isStopping) },
  ]
}

/** To the webhook subscriptions of instances, and to AUDIT_SINK. */
function openPumps({ database, now }: SyncDeps, { auditSink, publicUrl, log }: WorkerParts, isStopping: () => boolean): AuditPump[] {
  const shared = { database, log, now, isStopping }
  const toWebhooks = new AuditPump({ ...shared, destination: 'webhooks', sink: createWebhookSink(database) })
  if (auditSink === null) return [toWebhooks]
  return [toWebhooks, new AuditPump({ ...shared, destination: 'sink', sink: createAuditSink(auditSink, new URL(publicUrl).hostname) })]
}
