import { scrub } from '../model/scrub.ts'
import { Secret } from '../model/values/secret.ts'
import {
  InvalidSetting,
  isLoopback,
  type Listen,
  toBaseUrl,
  toBoolean,
  toDatabaseUrl,
  toEmail,
  toFolder,
  toHost,
  toListen,
  toOneOf,
  toPassword,
  toProxies,
  toSender,
  toSmtpUrl,
  toToken,
  toWholeNumber,
} from './setting-values.ts'

const ENVIRONMENTS = ['sandbox', 'production'] as const
const ROLES = ['api', 'worker', 'all'] as const
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Settings of the process, all checked. */
export interface Config {
  port: number
  host: string
  /** Where others reach this service, without a slash at its end. */
  baseUrl: string
  /** Addresses and ranges of the proxies in front, whose forwarded headers are believed. */
  trustedProxies: readonly string[]
  /** Absolute path. */
  dataDir: string
  /** Absolute path below which watched folders of statement files lie; null: there are none. */
  feedsDir: string | null
  /** Folder whose folders `fdx` and `bank-api` hold the operator's own profiles of banks; null for none. */
  bankProfilesDir: string | null
  /** Null: the PostgreSQL that comes with the service. */
  databaseUrl: Secret | null
  logLevel: (typeof LOG_LEVELS)[number]
  environment: (typeof ENVIRONMENTS)[number]
  /** Whether webhook receivers and sources that a form names may be on loopback and private addresses. */
  allowPrivateAddresses: boolean
  accessTokenMinutes: number
  /** For how long raw pages are kept that nothing published refers to. */
  rawPageMonths: number
  /** The first user, made when there is none. */
  seedEmail: string
  /** Null: one is made up. */
  seedPassword: Secret | null
  role: (typeof ROLES)[number]
  /** Where a worker of its own answers to health and metrics; null: nowhere. */
  workerListen: Listen | null
  /** What `/metrics` wants to be shown; null: nothing in the sandbox, where this machine alone is let in; in production nobody is. */
  metricsToken: Secret | null
  /** The mail server; null: the catcher of the sandbox, or none. */
  smtpUrl: Secret | null
  /** The address that mails come from; null without a mail server. */
  mailFrom: string | null
  /** Where the sandbox catches mails, on loopback; null: a free port not far from `port`. */
  mailCatcherPort: number | null
  /** Variables that look like a misspelt setting, one sentence each; others are nobody's business here. */
  doubts: readonly string[]
}

/** Longer names may differ in more letters and still be meant. */
const MAX_LETTERS = 3

/** Every fault of the settings at once. No secret value shows. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One line each. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['the settings cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    this.faults = faults
  }
}

/**
 * Reads the settings from the environment's variables and the arguments of the command (`--role x`, which wins over `ROLE`). An empty
 * variable counts as unset. `isFolder` says whether there is such a folder. Throws only `ConfigError`.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  isFolder: (path: string) => boolean = () => true,
): Config {
  const faults: string[] = []
  const known: string[] = []
  const toExistingFolder = (text: string): string => {
    const path = toFolder(text)
    if (!isFolder(path)) throw new InvalidSetting('a folder that exists')
    return path
  }
  const settings: Readonly<Record<string, string | undefined>> = { ...env, ...readArguments(args, faults) }

  /** The value, or `missing` both when unset and when faulty: then the fault is on the list and the value is never used. */
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
  const config: Config = {
    port,
    host,
    baseUrl: read('BASE_URL', toBaseUrl, defaultBaseUrl(host, port)),
    trustedProxies: read('TRUSTED_PROXIES', toProxies, []),
    dataDir: read('DATA_DIR', toFolder, toFolder('data')),
    feedsDir: read('FEEDS_DIR', toExistingFolder, null),
    bankProfilesDir: read('BANK_PROFILES_DIR', toExistingFolder, null),
    databaseUrl: read('DATABASE_URL', (text) => new Secret(toDatabaseUrl(text)), null, true),
    logLevel: read('LOG_LEVEL', (text) => toOneOf(text, LOG_LEVELS), 'info'),
    environment,
    allowPrivateAddresses: read('ALLOW_PRIVATE_ADDRESSES', toBoolean, environment === 'sandbox'),
    accessTokenMinutes: read('ACCESS_TOKEN_MINUTES', (text) => toWholeNumber(text, 1, 1_440), 60),
    rawPageMonths: read('RAW_PAGE_MONTHS', (text) => toWholeNumber(text, 1, 1_200), 24),
    seedEmail: read('SEED_EMAIL', toEmail, 'developer@example.com'),
    seedPassword: read('SEED_PASSWORD', (text) => new Secret(toPassword(text)), null, true),
    role: read('ROLE', (text) => toOneOf(text, ROLES), 'all'),
    workerListen: read('WORKER_LISTEN', toListen, null),
    metricsToken: read('METRICS_TOKEN', (text) => new Secret(toToken(text)), null, true),
    smtpUrl: read('SMTP_URL', (text) => new Secret(toSmtpUrl(text)), null, true),
    mailFrom: read('MAIL_FROM', toSender, null),
    mailCatcherPort: read('MAIL_CATCHER_PORT', (text) => toWholeNumber(text, 1, 65_535), null),
    doubts: [],
  }
  faults.push(...findConflicts(config, (settings.DATABASE_URL ?? '') !== ''))
  if (config.smtpUrl !== null && (settings.MAIL_FROM ?? '') === '') {
    faults.push('MAIL_FROM: is needed with SMTP_URL: the e-mail address that mails come from')
  }
  const doubts = findMisspelt(Object.keys(env), known)
  if (faults.length > 0) throw new ConfigError([...faults, ...doubts])
  return { ...config, doubts }
}

/** Names in the environment that are near to a setting's. Short ones (`PORT`) have too many honest neighbours. */
function findMisspelt(names: readonly string[], known: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (known.includes(name)) return []
    const meant = known.find((one) => one.length >= 7 && isNear(name.toUpperCase(), one))
    return meant === undefined ? [] : [`${show(name)} is no setting; is ${meant} meant?`]
  })
}

function isNear(name: string, wanted: string): boolean {
  const most = Math.min(MAX_LETTERS, Math.floor(wanted.length / 4))
  return Math.abs(name.length - wanted.length) <= most && editDistance(name, wanted) <= most
}

/** Levenshtein's. */
function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_one, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const now = [row + 1]
    for (let at = 1; at <= b.length; at += 1) {
      const [left = 0, above = 0, diagonal = 0] = [now[at - 1], before[at], before[at - 1]]
      now.push(Math.min(left + 1, above + 1, diagonal + (letter === b[at - 1] ? 0 : 1)))
    }
    before = now
  }
  return before[b.length] ?? 0
}

function findConflicts(config: Config, hasDatabaseUrl: boolean): string[] {
  const faults: string[] = []
  if (config.role !== 'all' && !hasDatabaseUrl) {
    faults.push(`ROLE: "${config.role}" needs DATABASE_URL, because the database that comes with the service serves one process`)
  }
  if (config.environment === 'production' && config.baseUrl.startsWith('http:') && !isLoopback(config.baseUrl)) {
    faults.push(`BASE_URL: ${show(config.baseUrl)} is not an https address, which production needs`)
  }
  return faults
}

/** A server on all addresses is reached by name. */
function defaultBaseUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
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

/** One line, no secret, no control characters, at most 80 characters of it. */
function show(text: string): string {
  return JSON.stringify(scrub(text.length > 80 ? `${text.slice(0, 80)}…` : text))
}
