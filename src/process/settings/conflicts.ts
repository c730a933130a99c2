import { scrub } from '../../model/scrub.ts'
import type { Secret } from '../../model/values/secret.ts'
import { isLoopback, type Listen } from './setting-values.ts'

interface Conflicting extends Listen {
  role: 'api' | 'worker' | 'all'
  environment: string
  baseUrl: string
  connectUrl: string
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
  faults.push(...findHostConflicts(config))
  return [...faults, ...findMailConflicts(config)]
}

/** Cookies know hosts and no ports, and a page may not send its visitors from https to http. */
function findHostConflicts({ baseUrl, connectUrl }: Conflicting): string[] {
  const [base, connect] = [new URL(baseUrl), new URL(connectUrl)]
  if (baseUrl === connectUrl) return []
  if (base.hostname === connect.hostname)
    return [`CONNECT_URL: ${show(connectUrl)} has the host name of BASE_URL; it needs another, or none`]
  if (base.protocol !== connect.protocol) return [`CONNECT_URL: ${show(connectUrl)} is not ${base.protocol.slice(0, -1)}, as BASE_URL is`]
  return []
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
