import { listenText, type ServerTls } from '../api/context/server-tls.ts'
import type { ApiSettings } from '../api/context/settings.ts'
import type { ProcessLife } from '../api/routes/health.ts'
import { type AuditWriter, ownScope, withinActor } from '../audit/actor.ts'
import { auditWriter } from '../audit/record.ts'
import type { ConnectorDescription } from '../connectors/contract/contract.ts'
import { connectorsWith } from '../connectors/registry.ts'
import { createSources } from '../connectors/sources.ts'
import { createKit } from '../connectors/toolkit/http/kit.ts'
import { allowOnly, requireEncryption } from '../egress/allowed-hosts.ts'
import { createEgress } from '../egress/egress.ts'
import { hostOf } from '../egress/target.ts'
import { Activity } from '../jobs/activity.ts'
import { isRestoredCopy, ONLY_ANSWERS, watchPause } from '../jobs/pause-watch.ts'
import type { WorkMetrics } from '../metrics/work.ts'
import { toServiceId } from '../model/catalogue.ts'
import { RELEASE } from '../model/release.ts'
import type { SecretRedactor } from '../model/secret-redactor.ts'
import { type Database, withLock } from '../store/db/database.ts'
import { checkKeys } from '../store/keys/key-fingerprints.ts'
import type { Keys } from '../store/keys/keys.ts'
import { reportingSealer } from '../store/keys/reporting-sealer.ts'
import { createSealer } from '../store/keys/sealing.ts'
import { tokenHasher } from '../store/keys/token-hash.ts'
import type { SyncDeps } from '../sync/context/deps.ts'
import { issueLink } from '../sync/links/link.ts'
import { SharedRateLimiter } from '../sync/rate-limits/shared-rate-limiter.ts'
import { buildMissing } from './built/later-starts.ts'
import { exportSettings } from './exports/export-settings.ts'
import { watchKeys } from './keys/key-rotation.ts'
import { type Logger, pauseReporter } from './log.ts'
import { explainMissingSandbox } from './missing-packages.ts'
import { openPageObjects } from './open-page-objects.ts'
import { openPasswordList } from './open-password-list.ts'
import { explainPort, explainSimulatorPort } from './port.ts'
import { waitForSampleBooks } from './sandbox/sample-connections.ts'
import { addressesOf, openSandbox } from './sandbox/start-sandbox.ts'
import type { Seeded, SeedRequest } from './seed.ts'
import { apiSettings } from './settings/api-settings.ts'
import type { Config } from './settings/config.ts'
import { openKeysOf } from './settings/keys-setting.ts'
import { readSourceSettings } from './settings/source-settings.ts'
import { openMail, type StartedMail } from './start-mail.ts'
import { openReplicas, openStore } from './start-store.ts'
import { type StartupBannerFacts, startupBanner } from './startup-banner.ts'
import { openMalwareScanner } from './telemetry/malware-scans.ts'
import { openMetrics } from './telemetry/open-metrics.ts'
import { observeSourceCalls } from './telemetry/source-calls.ts'
import { startTelemetry } from './telemetry/start-telemetry.ts'
import { watchSchema } from './watch-schema.ts'

// Loaded by the roles that use it only: the code of a role takes 5 to 10 MB.
const openServer: typeof import('./start-server.ts').openServer = async (...all) => (await import('./start-server.ts')).openServer(...all)
const openWorkers: typeof import('./start-workers.ts').openWorkers = async (...all) =>
  (await import('./start-workers.ts')).openWorkers(...all)
const seed: typeof import('./seed.ts').seed = async (...all) => (await import('./seed.ts')).seed(...all)

/** Dependencies provided by the process itself. */
export interface ProcessParts {
  log: Logger
  /** Values that the log redacts. */
  secrets: SecretRedactor
  /** Called when the process cannot continue. */
  onFatal(error: Error): void
  /** Aborted when the process is to end: a waiting start gives up. */
  signal: AbortSignal
}

interface ServiceParts {
  /** Address of the embedded database, once it accepts connections; null where the settings name one. */
  embeddedUrl: Promise<string> | null
  life: Readonly<ProcessLife>
  closers: (() => Promise<unknown>)[]
}

/** Opens all that the role needs; returns the banner of a sandbox. Adds to `closers` what it opens, also when it fails. */
export async function openService(
  config: Config,
  process: ProcessParts,
  { embeddedUrl, life, closers }: ServiceParts,
): Promise<string | null> {
  const { log, secrets, onFatal, signal } = process
  const descriptions = connectorsWith(config.bankProfilesDir, config.environment === 'sandbox')
  // Before any change: an error in it leaves the database as it was.
  const sourceSettings = await readSourceSettings(config.dataDir, descriptions, config)
  const database = await openStore(config, { embeddedUrl, log, signal, closers })
  const activity = new Activity()
  const schema = watchSchema(database, log, onFatal, config.role === 'worker' ? activity : undefined)
  closers.push(() => schema.stop())
  const keys = await openKeysOf(config)
  await checkKeys(database, keys)
  closers.push(watchKeys(keys, log))
  const explain = { explainMissing: explainMissingSandbox, explainPort: explainSimulatorPort }
  const onError = (error: unknown): void => log.error({ err: error }, 'simulators of erased instances could not be removed')
  const sandbox = await openSandbox(config, database, { closers, ...explain, onError })
  const mail = await openMail(config, secrets, closers)
  const pause = await watchPause(database, pauseReporter(log), config.role === 'api' ? ONLY_ANSWERS : activity)
  closers.push(() => pause.stop())
  limitEgress(config)
  if (config.breachedPasswords !== null) closers.push(await openPasswordList(config.breachedPasswords))
  // The last net of a restored copy: its refresh tokens belong to the original.
  const egress = createEgress({ allowPrivate: config.allowPrivateAddresses, isClosed: () => isRestoredCopy(pause) })
  closers.push(() => egress.close())
  const rateLimiter = openRateLimiter(database, { log, closers })
  const { registry: metrics, work } = openMetrics(config.role, { database, rateLimiter, pause, log })
  await startTelemetry(config, { metrics, log, closers })
  const simulators = sandbox?.settings ?? {}
  const parts = { log, secrets, database, keys, egress, rateLimiter, descriptions, sourceSettings, simulators, mail, work }
  const sync = { ...(await buildSync(config, parts)), replicas: openReplicas(config, { database, metrics, log, closers }) }
  const settings = apiSettings(config)
  const writer = auditWriter({ keys, now: sync.now })
  // Processes that start together on one empty database create one first user.
  const seeded = config.role === 'worker' ? null : await withLock(database, 'seed', () => seed(sync, seedRequest(config, settings), writer))
  const tls = config.tls && (await import('./tls/renewal.ts')).watchIdentity(config.tls, log, closers)
  if (config.metricsListen)
    await (await import('./start-health.ts')).openHealth(config, { database, metrics, tls, pause, life, log, closers })
  const served = { sync, keys, settings, egress, log, metrics, pause, sandbox: sandbox?.controls, mail, tls }
  // Before the workers, which would take the CPU from it, and late starters would time out.
  const server = config.role === 'worker' ? null : await openServer(config, served, closers)
  if (config.role !== 'api') {
    const { retention, auditMonths, auditSink, baseUrl: publicUrl } = config
    const exports = exportSettings(config, database, await embeddedUrl)
    const own = { retention, auditMonths, auditSink, publicUrl, mailServer: mail.server, exports }
    await openWorkers(sync, { egress, log, closers, keys, writer, ...own, work, metrics, pause, activity })
  }
  if (server) {
    // Closed again here, so that it closes before the workers: no requests to a service that no longer works.
    closers.push(() => server.app.close())
    await listen(server.app, config, tls)
  }
  const banner = await announce(sync, writer, { config, seeded, sandbox }, { log, signal })
  // Last, since looking for what is missing would delay the first answers.
  const isKept = config.environment === 'sandbox' || embeddedUrl !== null
  await buildMissing({ pages: server?.pages ?? [], forLaterStarts: isKept, hasDatabase: embeddedUrl !== null, log, closers })
  return banner
}

/** Says that the service is ready: the banner of a sandbox, or a line of the log. */
async function announce(
  sync: SyncDeps,
  writer: AuditWriter,
  { config, seeded, sandbox }: { config: Config; seeded: Seeded | null; sandbox: Awaited<ReturnType<typeof openSandbox>> },
  { log, signal }: Pick<ProcessParts, 'log' | 'signal'>,
): Promise<string | null> {
  if (seeded && config.environment === 'sandbox')
    return await describeSandbox(sync, writer, { config, seeded, simulators: addressesOf(sandbox, seeded.instanceId) }, signal)
  logReady(config, log)
  return null
}

function logReady({ role, baseUrl, metricsListen }: Config, log: Logger): void {
  const address = role === 'worker' ? {} : { address: baseUrl }
  log.info({ role, version: RELEASE, ...address, metrics: metricsListen }, 'Countinghouse is ready.')
}

/** Limits outgoing connections to the destinations listed by the operator, with the bucket, which another setting names. */
function limitEgress({ egressAllowedHosts: hosts, pageBucket, requireTls }: Config): void {
  allowOnly(hosts && pageBucket ? [...hosts, hostOf(new URL(pageBucket.endpoint))] : hosts)
  requireEncryption(requireTls)
}

async function listen(app: Awaited<ReturnType<typeof openServer>>['app'], { port, host }: Config, tls: ServerTls | null): Promise<void> {
  await app.listen({ port, host, ...listenText(tls) }).catch((error: unknown) => {
    throw explainPort(error, host, port)
  })
}

function openRateLimiter(database: Database, { log, closers }: { log: Logger; closers: (() => Promise<unknown>)[] }): SharedRateLimiter {
  const onError = (error: unknown): void => log.warn({ err: error }, 'shared rate limits could not be updated')
  const rateLimiter = new SharedRateLimiter(database, { onError })
  closers.push(() => rateLimiter.close())
  return rateLimiter
}

async function buildSync(
  config: Config,
  parts: {
    log: Logger
    secrets: SecretRedactor
    database: SyncDeps['database']
    keys: Keys
    egress: ReturnType<typeof createEgress>
    rateLimiter: SharedRateLimiter
    descriptions: readonly ConnectorDescription[]
    sourceSettings: Awaited<ReturnType<typeof readSourceSettings>>
    simulators: Parameters<typeof createSources>[1]['simulators']
    mail: StartedMail
    work: WorkMetrics
  },
): Promise<SyncDeps> {
  const { log, secrets, database, keys, egress, rateLimiter, descriptions, simulators, mail } = parts
  const now = () => new Date()
  const sealer = reportingSealer(createSealer(keys), parts.work.countUnsealFailure)
  const hashToken = tokenHasher(keys)
  return {
    database,
    sealer,
    sources: createSources(descriptions, {
      settings: parts.sourceSettings,
      simulators,
      createKit: (app, hosts) => createKit({ egress, app, hosts, now, allowPrivate: config.allowPrivateAddresses }),
      rateLimiter,
      onCall: observeSourceCalls(parts.work),
    }),
    log,
    hide: (value) => secrets.add(value),
    now,
    hashToken,
    baseUrl: config.connectUrl,
    feeds: { dir: config.feedsDir, allowPrivate: config.allowPrivateAddresses },
    onRunEnded: parts.work.countRun,
    ...openMalwareScanner(config, parts.work, log),
    ...openPageObjects(config, egress, (value) => secrets.add(value)),
    ...(mail.server ? { mail: { sealer, hashToken } } : {}),
  }
}

function seedRequest(config: Config, settings: ApiSettings): SeedRequest {
  const { seedEmail: email, seedPassword: password, instanceName, quotas, dataDir, environment } = config
  return { email, password, instanceName, quotas, dataDir, settings, isSandbox: environment === 'sandbox' }
}

/** Only for the sandbox: the holder of a link may act for its company. Waits for the data that the banner's lines read. */
async function describeSandbox(
  sync: SyncDeps,
  writer: AuditWriter,
  facts: Omit<StartupBannerFacts, 'link'>,
  signal: AbortSignal,
): Promise<string> {
  const { instanceId, companyId, email } = facts.seeded
  const wait = { hasWorkers: facts.config.role !== 'api', signal }
  const hasBooks = companyId !== null && facts.seeded.hasBooks && (await waitForSampleBooks(sync, { instanceId, companyId }, wait))
  const issue = async () =>
    companyId && (await issueLink(sync, { instanceId, companyId, serviceId: toServiceId('quickbooks'), issuedBy: email }))
  return startupBanner({
    ...facts,
    seeded: { ...facts.seeded, hasBooks },
    link: await withinActor(ownScope(writer, 'command', 'start'), issue),
  })
}
