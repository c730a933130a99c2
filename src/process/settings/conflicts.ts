import { scrub } from '../../model/scrub.ts'
import type { Secret } from '../../model/values/secret.ts'
import { isLoopback, type Listen } from './setting-values.ts'

interface Conflicting extends Listen {
  role: 'api' | 'worker' | 'all'
  environment: string
  baseUrl: string
  metricsListen: Listen | null
  smtpUrl: Secret | null
  smtpToken: object | null
}

/** Faults of settings that are valid alone but not together, one sentence each. */
export function findConflicts(config: Conflicting, hasDatabaseUrl: boolean): string[] {
  const faults: string[] = []
  if (config.role !== 'all' && !hasDatabaseUrl) {
    faults.push(`ROLE: "${config.role}" needs DATABASE_URL, because the database that comes with the service serves one process`)
  }
  if (config.metricsListen && config.role !== 'worker' && isSameAddress(config.metricsListen, config)) {
    faults.push(`METRICS_LISTEN: ${config.metricsListen.host}:${config.metricsListen.port} is the address of the API (HOST and PORT)`)
  }
  if (config.environment === 'production' && config.baseUrl.startsWith('http:') && !isLoopback(config.baseUrl)) {
    faults.push(`BASE_URL: ${show(config.baseUrl)} is not an https address, which production needs`)
  }
  return [...faults, ...findMailConflicts(config)]
}

function findMailConflicts({ smtpUrl, smtpToken }: Conflicting): string[] {
  const url = smtpUrl && new URL(smtpUrl.reveal())
  if (smtpToken !== null && (url === null || url.username === '' || url.password !== ''))
    return ['SMTP_TOKEN_FILE, SMTP_TOKEN_COMMAND: need an SMTP_URL with a user and without a password']
  if (smtpToken === null && url !== null && url.username !== '' && url.password === '')
    return ['SMTP_URL: has a user without a password, which needs SMTP_TOKEN_FILE or SMTP_TOKEN_COMMAND']
  return []
}

function isSameAddress(a: Listen, b: Listen): boolean {
  return a.port === b.port && (a.host === b.host || isEvery(a.host) || isEvery(b.host))
}

/** Whether a server at this address listens on all interfaces. */
export function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** One line, no secret, no control characters, at most 80 characters. */
export function show(text: string): string {
  return JSON.stringify(scrub(text.length > 80 ? `${text.slice(0, 80)}…` : text))
}
