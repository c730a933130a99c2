import type { Registry } from 'prom-client'
import { registerReplicaCounts, registerReplicaStates } from '../metrics/replicas.ts'
import { awaitDatabase } from '../store/db/await-database.ts'
import { asksForEncryption, urlsOf } from '../store/db/connection/database-url.ts'
import { UnsupportedDatabase } from '../store/db/connection/unsupported-database.ts'
import { type Database, openDatabase } from '../store/db/database.ts'
import { upgradeSchema } from '../store/db/migrate.ts'
import { Replicas } from '../store/db/replicas/replicas.ts'
import { isBoundByRowSecurity } from '../store/db/row-security.ts'
import { MAX_CLOCK_SKEW_MS, measureClockSkew } from '../store/db/server-settings.ts'
import { endLeases } from '../store/jobs/leases.ts'
import type { Logger } from './log.ts'
import type { Config } from './settings/config.ts'
import { applyDatabasePassword } from './settings/database-settings.ts'
import { mustEncrypt } from './settings/setting-values.ts'

const POOL_SIZE = 16

interface StoreParts {
  log: Logger
  /** Aborted when the process is to end: stops all waiting. */
  signal: AbortSignal
  /** Address of the embedded database, once it accepts connections; null where the settings name one. */
  embeddedUrl: Promise<string> | null
  closers: (() => Promise<unknown>)[]
}

/**
 * Opens the configured or embedded database, migrated and ready for use. Waits for one that is down, starting or
 * read-only. Throws `UnsupportedDatabase` where data would travel in clear.
 */
export async function openStore(config: Config, parts: StoreParts): Promise<Database> {
  const { log, signal, embeddedUrl, closers } = parts
  applyDatabasePassword(config)
  const directUrl = config.databaseDirectUrl?.reveal()
  requireEncryption(config, directUrl, 'connections past the pooler are', 'DATABASE_DIRECT_URL')
  const url = config.databaseUrl?.reveal() ?? (await embeddedUrl)
  if (url == null) throw new Error('no database was started')
  let isClosing = false
  let isLost = false
  const onLost = (error: Error): void => {
    if (isClosing) return
    isLost = true
    log.warn({ reason: error.message }, 'a database connection broke')
  }
  const database = openDatabase(url, { max: POOL_SIZE, onLost, directUrl })
  database.on('connect', () => {
    if (isLost) log.info('connected to the database again')
    isLost = false
  })
  closers.push(async () => {
    isClosing = true
    await database.end()
  })
  const { isEncrypted, pooler } = await awaitDatabase(database, (reason) => log.warn({ reason }, 'waiting for the database'), signal)
  if (pooler !== 'transaction' && database.sessions !== null)
    log.warn({ pooler }, 'DATABASE_DIRECT_URL is set, but DATABASE_URL is no pooler in transaction mode: statements are slower for nothing')
  if (!isEncrypted && mustEncrypt(config.environment, url)) throw unencrypted('the connection to the database is', 'DATABASE_URL')
  const skewMs = await measureClockSkew(database)
  if (Math.abs(skewMs) > MAX_CLOCK_SKEW_MS)
    log.warn(
      { seconds: Math.round(skewMs / 1_000) },
      'the clock of this machine differs from the database’s; let both follow a time server (NTP)',
    )
  const applied = await upgradeSchema(database)
  if (applied.length > 0) log.info({ migrations: applied.length, last: applied.at(-1) }, 'database migrated')
  if (!(await isBoundByRowSecurity(database)))
    log.warn('the database role is a superuser or has BYPASSRLS, so row-level security does not hold it; give the service a role without')
  // The embedded database serves one process, so the holder of any lease is gone.
  if (config.databaseUrl === null) await endLeases(database)
  return database
}

/** The address itself has to demand encryption, since the server may be down at the start. */
function requireEncryption({ environment }: Config, url: string | undefined, what: string, setting: string): void {
  if (url !== undefined && !asksForEncryption(url) && mustEncrypt(environment, url)) throw unencrypted(what, setting)
}

function unencrypted(what: string, setting: string): UnsupportedDatabase {
  return new UnsupportedDatabase(
    `${what} not encrypted: add sslmode=verify-full to ${setting}, or sslmode=disable where nobody else can read the network`,
  )
}

interface ReplicaParts {
  database: Database
  metrics: Registry
  log: Logger
  closers: (() => Promise<unknown>)[]
}

/**
 * Replicas that the settings name; undefined if there are none. A replica that is down does not prevent the start.
 * Throws `UnsupportedDatabase` where data would travel unencrypted, and on a cluster.
 */
export function openReplicas(config: Config, { database, metrics, log, closers }: ReplicaParts): Replicas | undefined {
  const url = config.databaseReadUrl?.reveal()
  if (url === undefined) return undefined
  if (database.isDistributed)
    throw new UnsupportedDatabase(
      'the tables are distributed by Citus, whose standbys cannot prove how fresh they are: remove DATABASE_READ_URL',
    )
  requireEncryption(config, url, 'connections to replicas are', 'DATABASE_READ_URL')
  const counts = registerReplicaCounts(metrics, urlsOf(url).length)
  const replicas: Replicas = new Replicas(database, {
    url,
    maxStalenessMs: config.databaseReadStalenessSeconds * 1_000,
    elapsedMs: () => performance.now(),
    now: () => new Date(),
    onChange: (replica, { phase, reason, lagMs }) => {
      if (phase === 'serving') log.info({ replica, lagMs }, 'a replica answers reads')
      else log.warn({ replica, phase, reason, lagMs }, 'a replica is left alone: the primary answers its reads')
    },
    onAnswer: (name) => counts.countAnswer(replicas.servers.findIndex((server) => server.name === name) + 1),
    onFallback: (_name, reason) => counts.countFallback(reason),
  })
  registerReplicaStates(metrics, () => replicas.servers.map(({ state }) => state))
  closers.push(() => replicas.close())
  return replicas
}
