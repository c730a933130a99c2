import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { openPages } from './api/open-pages.ts'
import { portalRoutes } from './api/routes/portal.ts'
import type { SandboxControls } from './api/sandbox-controls.ts'
import { createApi } from './api/server.ts'
import { type ApiSettings, defaultApiSettings } from './api/settings.ts'
import type { Config } from './config.ts'
import { connectPages } from './connect/pages.ts'
import { OwnerLimits } from './connect/request-limits.ts'
import type { ConnectorDescription } from './connectors/contract.ts'
import { createKit } from './connectors/kit.ts'
import { connectorsWith } from './connectors/registry.ts'
import { createSources } from './connectors/sources.ts'
import { createEgress } from './egress/egress.ts'
import { greeting } from './greeting.ts'
import type { Logger } from './log.ts'
import { toServiceId } from './model/catalogue.ts'
import type { LiveSecrets } from './model/live-secrets.ts'
import { checkPort, explainPort } from './port.ts'
import { openPortalFiles } from './portal-files.ts'
import { showQueues } from './queue-metrics.ts'
import { type Seeded, seed } from './seed.ts'
import { showSources } from './source-metrics.ts'
import { readSourceSettings } from './source-settings.ts'
import { openMail, type StartedMail } from './start-mail.ts'
import { openWorkers } from './start-workers.ts'
import { makeDataFolder } from './store/data-folder.ts'
import { type Database, openDatabase, withLock } from './store/database.ts'
import { startEmbeddedPostgres } from './store/embedded/postgres.ts'
import { checkKeys } from './store/key-fingerprints.ts'
import { type Keys, openKeys } from './store/keys.ts'
import { endLeases } from './store/leases.ts'
import { migrate } from './store/migrate.ts'
import { isBoundByRowSecurity } from './store/row-security.ts'
import { createSealer } from './store/sealing.ts'
import type { SyncDeps } from './sync/deps.ts'
import { issueLink } from './sync/link.ts'
import { createSourceGate, type SharedSourceGate } from './sync/source-gate.ts'
import { tokenHasher } from './sync/token-hash.ts'

export interface Running {
  /** What to show to whoever started it. */
  greeting: string
  /** Finishes what is under way, 20 s at most, then lets go of everything. */
  stop(): Promise<void>
}

/** What the process itself provides. */
export interface ProcessParts {
  log: Logger
  /** Values that the log hides. */
  secrets: LiveSecrets
  /** Called when the process cannot go on. */
  onFatal(error: Error): void
}

/** Finished pages kept in memory. */
const PAGE_CACHE_BYTES = 64 * 1024 * 1024
const POOL_SIZE = 16

/** Starts everything the role asks for; what a failed start had opened is closed again. */
export async function start(config: Config, process: ProcessParts): Promise<Running> {
  const { log } = process
  const closers: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) {
      await close().catch((error: unknown) => log.error({ err: error }, 'could not be closed'))
    }
  }
  try {
    return { greeting: await open(config, process, closers), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(config: Config, process: ProcessParts, closers: (() => Promise<unknown>)[]): Promise<string> {
  const { log, secrets, onFatal } = process
  const descriptions = connectorsWith(config.bankProfilesDir, config.environment === 'sandbox')
  if (config.role !== 'worker') await checkPort(config.host, config.port)
  await makeDataFolder(config.dataDir)
  const database = await openStore(config, log, onFatal, closers)
  const keys = await openKeys(config.dataDir)
  await checkKeys(database, keys)
  const sandbox = await openSandbox(config, closers)
  const mail = await openMail(config, secrets, closers)
  const egress = createEgress({ allowPrivate: config.allowPrivateAddresses })
  closers.push(() => egress.close())
  const gate = createSourceGate(database, { onError: (error) => log.warn({ err: error }, 'what a source allows could not be shared') })
  closers.push(() => gate.close())
  const sync = await buildSync(config, {
    log,
    secrets,
    database,
    keys,
    egress,
    gate,
    descriptions,
    simulators: sandbox?.settings ?? {},
    mail,
  })
  const settings: ApiSettings = {
    ...defaultApiSettings(config.baseUrl),
    accessTokenMinutes: config.accessTokenMinutes,
    trustedProxies: config.trustedProxies,
  }
  const wanted = { email: config.seedEmail, password: config.seedPassword, dataDir: config.dataDir, settings }
  // Processes that start together on one empty database make one first user.
  const seeded = await withLock(database, 'seed', () => seed(sync, { ...wanted, isSandbox: config.environment === 'sandbox' }))
  // Before the workers, which would take the processor from it, and late starters would time out.
  const app =
    config.role === 'worker'
      ? null
      : await openServer(config, { sync, keys, settings, log, gate, sandbox: sandbox?.controls, mail }, closers)
  if (config.role !== 'api')
    await openWorkers(sync, { egress, log, closers, keys, rawPageMonths: config.rawPageMonths, mailServer: mail.server })
  if (app) {
    // Once more, so that it comes before the workers: nobody may ask for what no longer works.
    closers.push(() => app.close())
    await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
      throw explainPort(error, config.host, config.port)
    })
  }
  return greeting({ config, seeded, link: await sampleLink(sync, seeded), simulators: sandbox?.addresses ?? [] })
}

async function openStore(
  config: Config,
  log: Logger,
  onFatal: (error: Error) => void,
  closers: (() => Promise<unknown>)[],
): Promise<Database> {
  let url = config.databaseUrl?.reveal()
  if (url === undefined) {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      log: (line) => log.debug({ postgres: line }, 'postgres'),
      onUnexpectedExit: onFatal,
    })
    closers.push(() => postgres.stop())
    url = postgres.url
  }
  const database = openDatabase(url, { max: POOL_SIZE, onLost: (error) => log.warn({ err: error }, 'a database connection broke') })
  closers.push(() => database.end())
  const applied = await migrate(database)
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  if (!(await isBoundByRowSecurity(database)))
    log.warn('the database role is a superuser or has BYPASSRLS, so row-level security does not hold it; give the service a role without')
  // The embedded database serves one process, so whoever held a lease is gone.
  if (config.databaseUrl === null) await endLeases(database)
  return database
}

/** Simulators only in the sandbox, and their code is loaded only there. */
async function openSandbox(config: Config, closers: (() => Promise<unknown>)[]) {
  if (config.environment !== 'sandbox') return null
  const { startSandbox } = await import('../simulators/sandbox.ts')
  const folder = join(config.dataDir, 'simulators')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const sandbox = await startSandbox({ folder, firstPort: config.port + 1 })
  closers.push(() => sandbox.close())
  return sandbox
}

async function buildSync(
  config: Config,
  parts: {
    log: Logger
    secrets: LiveSecrets
    database: Database
    keys: Keys
    egress: ReturnType<typeof createEgress>
    gate: SharedSourceGate
    descriptions: readonly ConnectorDescription[]
    simulators: Parameters<typeof createSources>[1]['simulators']
    mail: StartedMail
  },
): Promise<SyncDeps> {
  const { log, secrets, database, keys, egress, gate, descriptions, simulators, mail } = parts
  const now = () => new Date()
  const sealer = createSealer(keys)
  const hashToken = tokenHasher(keys)
  return {
    database,
    sealer,
    sources: createSources(descriptions, {
      settings: await readSourceSettings(config.dataDir, descriptions),
      simulators,
      createKit: (app, hosts) => createKit({ egress, app, hosts, now, allowPrivate: config.allowPrivateAddresses }),
      gate,
    }),
    log,
    hide: (value) => secrets.add(value),
    now,
    hashToken,
    baseUrl: config.baseUrl,
    feeds: { dir: config.feedsDir, allowPrivate: config.allowPrivateAddresses },
    ...(mail.server ? { mail: { sealer, hashToken } } : {}),
  }
}

/** Everything that answers requests, ready to listen. */
async function openServer(
  config: Config,
  parts: {
    sync: SyncDeps
    keys: Keys
    settings: ApiSettings
    log: Logger
    gate: SharedSourceGate
    sandbox: SandboxControls | undefined
    mail: StartedMail
  },
  closers: (() => Promise<unknown>)[],
): Promise<FastifyInstance> {
  const { sync, keys, settings, log, gate, sandbox, mail } = parts
  const portal = openPortalFiles(log)
  closers.push(() => portal.close())
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  showQueues(metrics, sync.database)
  showSources(metrics, sync.database, gate.waiting)
  const app = createApi({
    database: sync.database,
    keys,
    sealer: sync.sealer,
    log,
    metrics,
    settings,
    now: sync.now,
    sync,
    pages: openPages(sync.database, { maxBytes: PAGE_CACHE_BYTES }),
    webhooks: { database: sync.database, sealer: sync.sealer, callbackRules: { allowPrivate: config.allowPrivateAddresses } },
    ...(sandbox ? { sandbox } : {}),
    ...(mail.catcher ? { catcher: mail.catcher } : {}),
  })
  closers.push(() => app.close())
  app.register(connectPages({ ...sync, signing: keys.signing, limits: new OwnerLimits() }))
  app.register(portalRoutes(portal.folder))
  await app.ready()
  return app
}

async function sampleLink(sync: SyncDeps, seeded: Seeded): Promise<string | null> {
  const serviceId = toServiceId('quickbooks')
  if (seeded.companyId === null) return null
  return await issueLink(sync, { instanceId: seeded.instanceId, companyId: seeded.companyId, serviceId, issuedBy: seeded.email })
}
