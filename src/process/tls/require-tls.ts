import pg from 'pg'
import type { AuditSinkAddress } from '../../audit/sinks/sink.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import type { Secret } from '../../model/values/secret.ts'
import { connectionOf, isSocket, urlsOf } from '../../store/db/connection/database-url.ts'
import type { TlsFiles } from './certificate.ts'

/** Settings of connections, in and out. */
export interface Connections {
  role: 'api' | 'worker' | 'all'
  baseUrl: string
  connectUrl: string
  tls: TlsFiles | null
  metricsListen: object | null
  databaseUrl: Secret | null
  databaseDirectUrl: Secret | null
  databaseReadUrl: Secret | null
  smtpUrl: Secret | null
  auditSink: AuditSinkAddress | null
  pageBucket: { endpoint: string } | null
  clamdAddress: { host: string } | { path: string } | null
  telemetry: { tracesUrl: string | null; metricsUrl: string | null } | null
}

/** Connection that may carry data in clear, or to a server that has not proved who it is. */
export interface Unencrypted {
  setting: string
  /** Continues “SETTING: ”, without a secret. */
  fact: string
}

/** Every such connection of the settings, loopback included; a Unix socket needs no encryption. */
export function findUnencrypted(config: Connections): Unencrypted[] {
  const { smtpUrl, auditSink, pageBucket, clamdAddress, telemetry, baseUrl, connectUrl } = config
  const found: Unencrypted[] = []
  const add = (isFault: boolean, setting: string, fact: string): void => {
    if (isFault) found.push({ setting, fact })
  }
  const listeners = [...(config.role === 'worker' ? [] : ['HOST and PORT']), ...(config.metricsListen ? ['METRICS_LISTEN'] : [])]
  add(config.tls === null && listeners.length > 0, 'TLS_CERT_FILE', `is not set, so ${listeners.join(' and ')} are served over plain HTTP`)
  add(!baseUrl.startsWith('https:'), 'BASE_URL', 'is not an https address')
  add(connectUrl !== baseUrl && !connectUrl.startsWith('https:'), 'CONNECT_URL', 'is not an https address')
  found.push(...findUnverifiedDatabases(config))
  const mail = smtpUrl && new URL(smtpUrl.reveal())
  // A server on this machine is not asked for STARTTLS.
  const isLocal = mail !== null && /^(localhost|\[::1\]|127\.[\d.]+)$/.test(mail.hostname)
  add(mail?.search === '?tls=off', 'SMTP_URL', 'turns encryption off (tls=off)')
  add(mail?.protocol === 'smtp:' && isLocal, 'SMTP_URL', 'does not ask this machine for encryption; give it as smtps://')
  add(auditSink?.kind === 'syslog' && auditSink.transport !== 'tls', 'AUDIT_SINK', 'is not syslog+tls:// or a file')
  add(pageBucket?.endpoint.startsWith('https:') === false, 'RAW_PAGE_BUCKET', 'is not an https address')
  add(clamdAddress !== null && 'host' in clamdAddress, 'CLAMD_ADDRESS', 'is not a Unix socket, and clamd encrypts nothing')
  const collectors = [telemetry?.tracesUrl, telemetry?.metricsUrl].filter((url) => typeof url === 'string')
  add(!collectors.every((url) => url.startsWith('https:')), 'OTEL_EXPORTER_OTLP_ENDPOINT', 'is not an https address')
  return found
}

function findUnverifiedDatabases(config: Connections): Unencrypted[] {
  const urls = {
    DATABASE_URL: config.databaseUrl,
    DATABASE_DIRECT_URL: config.databaseDirectUrl,
    DATABASE_READ_URL: config.databaseReadUrl,
  }
  return Object.entries(urls).flatMap(([setting, url]) => {
    const faults = url === null ? [] : urlsOf(url.reveal()).flatMap((one) => findUnverified(one) ?? [])
    return faults.slice(0, 1).map((fact) => ({ setting, fact }))
  })
}

/** Null for a Unix socket, and for a server that has to prove its name with a certificate. */
function findUnverified(url: string): string | null {
  if (isSocket(url)) return null
  let ssl: unknown
  try {
    ssl = new pg.Client(connectionOf(url)).ssl
  } catch (error) {
    return `cannot be used: ${reasonOf(error)}`
  }
  const verifies = ssl === true || (typeof ssl === 'object' && ssl !== null && !isLax(ssl))
  return verifies ? null : 'does not verify the certificate of the server; add sslmode=verify-full'
}

function isLax(ssl: object): boolean {
  return ('rejectUnauthorized' in ssl && ssl.rejectUnauthorized === false) || 'checkServerIdentity' in ssl
}
