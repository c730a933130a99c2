import type { AuditSinkAddress } from '../../audit/sinks/sink.ts'
import { Secret } from '../../model/values/secret.ts'
import { DEFAULT_QUOTAS, type QuotaName } from '../../store/operators/quotas.ts'
import type { RetentionMonths } from '../../sync/connection/retention.ts'
import type { ClamdAddress } from '../../sync/malware/clamd.ts'
import { toAllowedHosts } from './allowed-hosts.ts'
import { toAuditSink } from './audit-sink.ts'
import { findConflicts, isEvery, show } from './conflicts.ts'
import { type DatabaseSettings, findDatabaseConflicts, readDatabase } from './database-settings.ts'
import type { Folders } from './folders.ts'
import { type LimitSettings, readLimits } from './limits.ts'
import { findMisspelt } from './misspelt.ts'
import { type PageBucketSettings, readPageBucket } from './page-bucket.ts'
import { type FreshSource, readFreshSource, readSecret, readSecretSource, type SecretSource } from './secret-source.ts'
import {
  InvalidSetting,
  type Listen,
  toBaseUrl,
  toBoolean,
  toClamdAddress,
  toEmail,
  toFolder,
  toHost,
  toInstanceName,
  toListen,
  toMonths,
  toOneOf,
  toOrigin,
  toPassword,
  toProxies,
  toQuotas,
  toSender,
  toSmtpUrl,
  toToken,
  toWholeNumber,
} from './setting-values.ts'
import { readTelemetry, type TelemetrySettings } from './telemetry-settings.ts'
import { findTlsConflicts, readTls, type TlsSettings } from './tls-settings.ts'

const ENVIRONMENTS = ['sandbox', 'production'] as const
const ROLES = ['api', 'worker', 'all'] as const
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Validated settings of the process. */
export interface Config extends DatabaseSettings, TlsSettings {
  port: number
  host: string
  /** Public URL of this service, without a trailing slash. */
  baseUrl: string
  /** Public URL of the owners' pages, without a trailing slash; `baseUrl` when it is not set. */
  connectUrl: string
  /** Addresses and ranges of reverse proxies whose forwarded headers are trusted. */
  trustedProxies: readonly string[]
  /** Absolute path. */
  dataDir: string
  /** Absolute path of the root of watched statement folders; null: none. */
  feedsDir: string | null
  /** Folder with the folders `fdx` and `bank-api` of the operator's own bank profiles; null: none. */
  bankProfilesDir: string | null
  /** Keys that are kept elsewhere than in `dataDir`; null: they are there. */
  keys: SecretSource | null
  /** Passphrase of backups, for the commands. */
  backupPassphrase: SecretSource | null
  logLevel: (typeof LOG_LEVELS)[number]
  environment: (typeof ENVIRONMENTS)[number]
  /** Whether webhook receivers, and sources named in a form, may be on loopback and private addresses. */
  allowPrivateAddresses: boolean
  /** The only destinations of outgoing connections; null: all that the guard of outgoing connections allows. */
  egressAllowedHosts: readonly string[] | null
  /** Absolute path of a list of breached passwords; null: none. */
  breachedPasswords: string | null
  /** Malware scanner of uploaded files; null: none. */
  clamdAddress: ClamdAddress | null
  accessTokenMinutes: number
  retention: RetentionMonths
  /** Bucket for raw pages; null: all of them are in the database. */
  pageBucket: PageBucketSettings | null
  /** Retention of audit entries; null: for ever. */
  auditMonths: number | null
  /** Destination to which audit entries are forwarded; null: none. */
  auditSink: AuditSinkAddress | null
  /** E-mail address of the first user, created when there is none. */
  seedEmail: string
  /** Null to generate one. */
  seedPassword: Secret | null
  /** Name of the first instance in production; the host of `baseUrl` when it is not set. */
  instanceName: string
  role: (typeof ROLES)[number]
  /**
   * Separate address for metrics and health, in every role; null for the API's address, and none for a separate
   * worker.
   */
  metricsListen: Listen | null
  /** Bearer token of `/metrics`; null: only this machine may read, in production only at `metricsListen`. */
  metricsToken: Secret | null
  limits: LimitSettings
  quotas: Partial<Record<QuotaName, number>>
  /** Mail server; null for the mail catcher in the sandbox, otherwise none. */
  smtpUrl: Secret | null
  /** Access token (OAuth 2) for the user of `smtpUrl`, read again for new logins; null: the address has a password, or no user. */
  smtpToken: FreshSource | null
  /** Sender address of mails; null without a mail server. */
  mailFrom: string | null
  /** Export of traces and metrics by OTLP; null: off. */
  telemetry: TelemetrySettings | null
  /** Loopback port of the sandbox's mail catcher; null: a free port near `port`. */
  mailCatcherPort: number | null
  /** One sentence per variable that looks like a misspelt setting; all other variables are ignored. */
  doubts: readonly string[]
}

const NO_LOOK: Folders = { isFolder: () => true, findDataFault: () => null, findTlsFaults: () => [] }

/** Thrown with all faults of the settings. Contains no secret value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One line each. */
  readonly faults: readonly string[]
  /** Names that look misspelt, with which the faults may have to do; one line each. */
  readonly doubts: readonly string[]

  constructor(faults: readonly string[], doubts: readonly string[] = []) {
    super(['the settings cannot be used:', ...[...faults, ...doubts].map((line) => `  ${line}`)].join('\n'))
    this.faults = faults
    this.doubts = doubts
  }
}

/**
 * Reads the settings from environment variables and command line arguments (`--role x`, which overrides `ROLE`). An
 * empty variable counts as unset. Without `folders` they are not looked at. Throws only `ConfigError`.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, args: readonly string[], folders: Folders = NO_LOOK): Config {
  const faults: string[] = []
  const known: string[] = []
  const toExistingFolder = (text: string): string => {
    const path = toFolder(text)
    if (!folders.isFolder(path)) throw new InvalidSetting('a folder that exists')
    return path
  }
  const settings: Readonly<Record<string, string | undefined>> = { ...env, ...readArguments(args, faults) }

  /**
   * The value, or `missing` when unset or invalid: an invalid one is added to the faults, so that the result is never
   * used.
   */
  function read<T, M>(name: string, to: (text: string) => T, missing: M, isSecret = false): T | M {
    known.push(name)
    const text = settings[name]
    if (text === undefined || text === '') return missing
    try {
      return to(text)
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error
      faults.push(`${name}: ${isSecret ? 'the value' : show(text)} is not ${error.message}`)
      return missing
    }
  }

  const environment = read('ENVIRONMENT', (text) => toOneOf(text, ENVIRONMENTS), 'sandbox')
  const port = read('PORT', (text) => toWholeNumber(text, 1, 65_535), 8480)
  const host = read('HOST', toHost, '127.0.0.1')
  const ownTls = readTls(read)
  const baseUrl = read('BASE_URL', toBaseUrl, defaultBaseUrl(ownTls.tls ? 'https' : 'http', host, port))
  const config: Config = {
    port,
    host,
    ...ownTls,
    baseUrl,
    connectUrl: read('CONNECT_URL', toOrigin, baseUrl),
    trustedProxies: read('TRUSTED_PROXIES', toProxies, []),
    dataDir: read('DATA_DIR', toFolder, toFolder('data')),
    feedsDir: read('FEEDS_DIR', toExistingFolder, null),
    bankProfilesDir: read('BANK_PROFILES_DIR', toExistingFolder, null),
    ...readDatabase(read),
    keys: readSecretSource(read, 'KEYS'),
    backupPassphrase: readSecretSource(read, 'BACKUP_PASSPHRASE'),
    logLevel: read('LOG_LEVEL', (text) => toOneOf(text, LOG_LEVELS), 'info'),
    environment,
    allowPrivateAddresses: read('ALLOW_PRIVATE_ADDRESSES', toBoolean, environment === 'sandbox'),
    egressAllowedHosts: read('EGRESS_ALLOWED_HOSTS', toAllowedHosts, null),
    breachedPasswords: read('BREACHED_PASSWORDS', toFolder, null),
    clamdAddress: read('CLAMD_ADDRESS', toClamdAddress, null),
    accessTokenMinutes: read('ACCESS_TOKEN_MINUTES', (text) => toWholeNumber(text, 1, 1_440), 60),
    retention: {
      runs: read('RUN_MONTHS', toMonths, 13),
      links: read('LINK_MONTHS', toMonths, 13),
      timeline: read('TIMELINE_MONTHS', toMonths, 24),
      sourceFiles: read('FILE_MONTHS', toMonths, 24),
      rawPages: read('RAW_PAGE_MONTHS', toMonths, 24),
      versions: read('VERSION_MONTHS', toMonths, null),
      receipts: read('RECEIPT_MONTHS', toMonths, null),
    },
    pageBucket: readPageBucket(read),
    auditMonths: read('AUDIT_MONTHS', toMonths, 13),
    auditSink: read('AUDIT_SINK', toAuditSink, null),
    seedEmail: read('SEED_EMAIL', toEmail, 'developer@example.com'),
    seedPassword: read('SEED_PASSWORD', (text) => new Secret(toPassword(text)), null, true),
    instanceName: read('INSTANCE_NAME', toInstanceName, new URL(baseUrl).host),
    role: read('ROLE', (text) => toOneOf(text, ROLES), 'all'),
    metricsListen: read('METRICS_LISTEN', toListen, null),
    metricsToken: readSecret(read, 'METRICS_TOKEN', toToken),
    limits: readLimits(read),
    quotas: read('QUOTAS', toQuotas, DEFAULT_QUOTAS),
    smtpUrl: readSecret(read, 'SMTP_URL', toSmtpUrl),
    smtpToken: readFreshSource(read, 'SMTP_TOKEN'),
    mailFrom: read('MAIL_FROM', toSender, null),
    telemetry: readTelemetry(read),
    mailCatcherPort: read('MAIL_CATCHER_PORT', (text) => toWholeNumber(text, 1, 65_535), null),
    doubts: [],
  }
  const isSet = (name: string): boolean => (settings[name] ?? '') !== ''
  const isGiven = (name: string): boolean => ['', '_FILE', '_COMMAND'].some((end) => isSet(`${name}${end}`))
  faults.push(...findConflicts(config, isGiven('DATABASE_URL')), ...findDatabaseConflicts(config, isGiven), ...findTlsConflicts(config))
  const dataFault = folders.findDataFault(config.dataDir)
  if (dataFault !== null) faults.push(`DATA_DIR: ${JSON.stringify(config.dataDir)} ${dataFault}`)
  if (config.tls !== null) faults.push(...folders.findTlsFaults(config.tls))
  if (config.smtpUrl !== null && !isSet('MAIL_FROM')) {
    faults.push('MAIL_FROM: is needed with SMTP_URL: the e-mail address that mails come from')
  }
  const doubts = findMisspelt(Object.keys(env), known).map(({ name, meant }) => `${show(name)} is no setting; is ${meant} meant?`)
  if (faults.length > 0) throw new ConfigError(faults, doubts)
  return { ...config, doubts }
}

/** A server on all addresses is reached by name. */
function defaultBaseUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const name = isEvery(host) ? 'localhost' : host
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function readArguments(args: readonly string[], faults: string[]): { ROLE?: string } {
  const found: { ROLE?: string } = {}
  for (let at = 0; at < args.length; at++) {
    const [name = '', ...rest] = (args[at] ?? '').split('=')
    const value = rest.length > 0 ? rest.join('=') : args[at + 1]
    if (name !== '--role') faults.push(`${show(name)}: unknown argument; known is --role ${ROLES.join('|')}`)
    else if (value === undefined || value === '') faults.push(`--role: has no value; wanted is one of ${ROLES.join(', ')}`)
    else found.ROLE = value
    if (name === '--role' && rest.length === 0) at++
  }
  return found
}
