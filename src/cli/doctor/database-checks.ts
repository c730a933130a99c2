import { english } from '../../model/texts/plural.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import type { Config } from '../../process/settings/config.ts'
import { shouldEncrypt } from '../../process/settings/setting-values.ts'
import { toAuditKey } from '../../store/access/audit.ts'
import { type AuditReport, verifyAudits } from '../../store/access/audit-verification.ts'
import { asksForEncryption, serverName, urlsOf } from '../../store/db/connection/database-url.ts'
import { NoPrimary, READ_ONLY } from '../../store/db/connection/servers.ts'
import { UnsupportedDatabase } from '../../store/db/connection/unsupported-database.ts'
import type { Database } from '../../store/db/database.ts'
import { findPause } from '../../store/db/deployment-pause.ts'
import { listPendingFunctions } from '../../store/db/functions.ts'
import { listPendingMigrations } from '../../store/db/migrate.ts'
import { checkServer } from '../../store/db/server-check.ts'
import { type Citus, MAX_CLOCK_SKEW_MS, measureClockSkew, readCitusNodes, readServerSettings } from '../../store/db/server-settings.ts'
import { readWorkState } from '../../store/db/work-state.ts'
import { findHomeFolder } from '../../store/embedded/home.ts'
import { areKeysOf } from '../../store/keys/key-fingerprints.ts'
import type { Keys } from '../../store/keys/keys.ts'
import { findMissingSealingKeys } from '../../store/keys/sealing-key-counts.ts'
import { listAlarms } from '../../store/sources/source-alarms.ts'
import { type OpenedDatabase, openDatabaseOf } from '../deployment/open-database.ts'
import { type Finding, find, findIf } from './checks.ts'
import { checkPartitions } from './partition-checks.ts'

/** Connections of a process: its pool, and what listens beside it. */
const PER_PROCESS = 20
const MAX_LAG_SECONDS = 300
/** Newest entries of each audit chain that are looked at; `countinghouse verify` looks at all. */
const AUDIT_ENTRIES = 1_000
const DEFAULT_EMAIL = 'developer@example.com'
/** Default name in releases without INSTANCE_NAME. */
const FORMER_NAME = 'My Instance'

/** Findings of `findUnsuitable` with which the database can be read all the same. */
const BEARABLE: readonly string[] = [
  'database-unencrypted',
  'database-direct-needless',
  'database-citus-unused',
  'database-citus-node',
  'database-citus-commit',
]

/** Null when there is no embedded database yet. Starts the embedded PostgreSQL when nobody runs it. */
export async function openForDoctor(config: Config): Promise<OpenedDatabase | null> {
  if (config.databaseUrl === null && (await findHomeFolder(config.dataDir)) === null) return null
  return await openDatabaseOf(config, () => undefined)
}

interface DatabaseFindings {
  findings: Finding[]
  /** Whether it has the tables of this version, so that more can be read. */
  isReadable: boolean
  /** Whether it is on a cluster of which a node is missing, so that distributed tables cannot be read. */
  lacksNode: boolean
}

/** Faults of the database and of the work in it. Keys are null when they cannot be used. */
export async function checkDatabase(config: Config, database: Database, keys: Keys | null): Promise<DatabaseFindings> {
  const unsuitable = await findUnsuitable(config, database)
  if (unsuitable.some(({ id }) => !BEARABLE.includes(id))) return { findings: unsuitable, isReadable: false, lacksNode: false }
  const findings = [...unsuitable, ...(await checkServerSettings(config, database))]
  const schema = await checkSchema(database)
  // Without the tables of this version nothing more can be read.
  if (schema.isEmpty || schema.findings.length > 0)
    return { findings: [...findings, ...schema.findings], isReadable: false, lacksNode: false }
  const lacksNode = database.isDistributed && unsuitable.some(({ id }) => id === 'database-citus-node')
  return { findings: [...findings, ...(await checkContents(config, database, keys, lacksNode))], isReadable: true, lacksNode }
}

async function findUnsuitable({ databaseUrl, databaseDirectUrl }: Config, database: Database): Promise<Finding[]> {
  try {
    const { isEncrypted, pooler, fault, citus } = await checkServer(database)
    const url = databaseUrl?.reveal() ?? null
    const directUrl = databaseDirectUrl?.reveal() ?? null
    const isNeedless = database.sessions !== null && pooler !== 'transaction'
    return [
      ...findIf(
        !isEncrypted && url !== null && shouldEncrypt(url),
        'database-unencrypted',
        `The connection to ${urlsOf(url ?? '')
          .map(serverName)
          .join(', ')} is in clear.`,
      ),
      ...findIf(
        directUrl !== null && !asksForEncryption(directUrl) && shouldEncrypt(directUrl),
        'database-unencrypted',
        'DATABASE_DIRECT_URL does not ask for encryption.',
      ),
      ...findIf(isNeedless, 'database-direct-needless', `DATABASE_URL is ${pooler === 'none' ? 'no pooler' : 'a pooler in session mode'}.`),
      ...findIf(fault !== null && fault !== READ_ONLY, 'database-direct-differs', `${fault}.`),
      ...(await checkCitus(database, citus)),
    ]
  } catch (error) {
    const message = reasonOf(error)
    if (error instanceof NoPrimary) return [find('database-read-only', `${message}.`)]
    return [find(error instanceof UnsupportedDatabase ? 'database-unsuitable' : 'database-unreachable', message)]
  }
}

async function checkCitus(database: Database, citus: Citus | null): Promise<Finding[]> {
  if (citus === null) return []
  const { version, workers } = citus
  const nodes = await readCitusNodes(database)
  const missing = nodes.filter(({ isThere }) => !isThere).map(({ name }) => name)
  const hasty = nodes.filter(({ synchronousCommit }) => synchronousCommit === 'off').map(({ name }) => name)
  return [
    ...findIf(
      workers > 0 && !database.isDistributed,
      'database-citus-unused',
      `Citus ${version} knows ${english.count(workers, 'other node', 'other nodes')}, of which none holds data of this deployment.`,
    ),
    ...findIf(missing.length > 0, 'database-citus-node', `Citus ${version} cannot use ${missing.join(', ')}.`),
    ...findIf(hasty.length > 0 && database.isDistributed, 'database-citus-commit', `synchronous_commit is off on ${hasty.join(', ')}.`),
  ]
}

async function checkServerSettings({ role }: Config, database: Database): Promise<Finding[]> {
  const server = await readServerSettings(database)
  const skewMs = Math.abs(await measureClockSkew(database))
  const unsafe = Object.entries({
    fsync: server.fsync,
    full_page_writes: server.fullPageWrites,
    synchronous_commit: server.synchronousCommit,
  })
    .filter(([, isOn]) => !isOn)
    .map(([name]) => name)
  const wanted = PER_PROCESS * (role === 'all' ? 1 : 2)
  return [
    ...findIf(server.isExemptFromRowSecurity, 'database-superuser', `The role ${server.role} is a superuser or has BYPASSRLS.`),
    ...findIf(server.isReadOnly, 'database-read-only', 'PostgreSQL is in recovery, or default_transaction_read_only is on.'),
    ...findIf(server.encoding !== 'UTF8', 'database-encoding', `The encoding is ${server.encoding}.`),
    ...findIf(unsafe.length > 0, 'database-unsafe', `${unsafe.join(', ')} ${unsafe.length === 1 ? 'is' : 'are'} off.`),
    ...findIf(!server.autovacuum, 'database-autovacuum', 'autovacuum is off.'),
    ...findIf(
      server.connections < wanted,
      'database-connections',
      `${server.connections} connections are allowed; ${PER_PROCESS} for each process need at least ${wanted}.`,
    ),
    ...findIf(skewMs > MAX_CLOCK_SKEW_MS, 'clock-skew', `The clocks differ by ${(skewMs / 1_000).toFixed(0)} s.`),
  ]
}

async function checkSchema(database: Database): Promise<{ isEmpty: boolean; findings: Finding[] }> {
  try {
    const pending = await listPendingMigrations(database)
    const functions = await listPendingFunctions(database)
    const names = [...pending, ...functions]
    const isEmpty = pending.includes('001-deployment.sql')
    return { isEmpty, findings: findIf(names.length > 0, 'schema-pending', `${names.length} are pending, from ${names[0]} on.`) }
  } catch (error) {
    return { isEmpty: false, findings: [find('schema-unusable', reasonOf(error))] }
  }
}

async function checkContents(
  { environment, baseUrl, retention }: Config,
  database: Database,
  keys: Keys | null,
  lacksNode: boolean,
): Promise<Finding[]> {
  const work = await readWorkState(database, { instanceNames: [FORMER_NAME, new URL(baseUrl).host], email: DEFAULT_EMAIL })
  const alarms = await listAlarms(database)
  const pause = await findPause(database)
  const missing = keys && !lacksNode ? await findMissingSealingKeys(database, keys) : []
  const isForeign = keys !== null && !(await areKeysOf(database, keys))
  const audit = keys && !isForeign ? await verifyAudits(database, keys.tokenHash.all.map(toAuditKey), AUDIT_ENTRIES) : null
  const isWorking = pause === null && work.workers > 0
  const isProduction = environment === 'production'
  const isLate = work.lagSeconds > MAX_LAG_SECONDS
  return [
    ...findIf(isForeign, 'keys-foreign', 'The fingerprint in the database is of other keys.'),
    ...findIf(missing.length > 0, 'sealed-unreadable', `Values name the sealing keys ${missing.join(', ')}, which are not there.`),
    ...(audit?.faults.slice(0, 1) ?? []).map((fault) => find('audit-altered', toAuditFact(fault))),
    ...findIf(pause !== null, 'deployment-paused', `It is paused since ${pause?.pausedAt.toISOString()} (${pause?.reason}).`),
    ...findIf(
      pause === null && work.workers === 0 && work.lagSeconds > 75,
      'worker-missing',
      `A job has been due for ${work.lagSeconds.toFixed(0)} s, and no worker reports.`,
    ),
    ...findIf(isWorking && isLate, 'queue-lag', `The oldest due job waits for ${work.lagSeconds.toFixed(0)} s.`),
    ...(isWorking ? await checkPartitions(database, retention.rawPages) : []),
    ...findIf(work.deadJobs > 0, 'jobs-dead', `${english.count(work.deadJobs, 'job was', 'jobs were')} set aside.`),
    ...findIf(work.failedMails > 0, 'mail-failing', `${english.count(work.failedMails, 'mail was', 'mails were')} not delivered.`),
    ...findIf(
      work.disabledSubscriptions > 0,
      'subscriptions-disabled',
      `${english.count(work.disabledSubscriptions, 'subscription is', 'subscriptions are')} disabled.`,
    ),
    ...findIf(alarms.length > 0, 'source-keys-refused', `Refused by: ${alarms.join(', ')}.`),
    ...findIf(
      isProduction && work.defaultNames > 0,
      'instance-name-default',
      `${english.count(work.defaultNames, 'instance has', 'instances have')} the name of the first start.`,
    ),
    ...findIf(isProduction && work.defaultAdmins > 0, 'seed-email-default', `The user ${DEFAULT_EMAIL} may sign in.`),
  ]
}

function toAuditFact({ instanceId, position }: AuditReport['faults'][number]): string {
  return `Entry ${position} of ${instanceId === null ? 'the deployment' : `instance ${instanceId}`} does not follow from those before it.`
}
