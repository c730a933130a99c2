import type { TlsFiles } from '../tls/certificate.ts'
import { type Connections, findUnencrypted } from '../tls/require-tls.ts'
import type { ReadSetting } from './limits.ts'
import { InvalidSetting, toBoolean, toFolder } from './setting-values.ts'

export interface TlsSettings {
  /** Certificate and key of every server of this process; null: they serve plain HTTP. */
  tls: TlsFiles | null
  /** Whether every connection, in and out, has to be encrypted. */
  requireTls: boolean
}

/** The files are checked by `Folders`. */
export function readTls(read: ReadSetting): TlsSettings {
  const certFile = read('TLS_CERT_FILE', toFolder, null)
  const keyFile = read('TLS_KEY_FILE', toFolder, null)
  if (certFile !== null && keyFile === null) read('TLS_CERT_FILE', () => refuse('TLS_KEY_FILE'), null)
  if (certFile === null && keyFile !== null) read('TLS_KEY_FILE', () => refuse('TLS_CERT_FILE'), null)
  return { tls: certFile !== null && keyFile !== null ? { certFile, keyFile } : null, requireTls: read('REQUIRE_TLS', toBoolean, false) }
}

/** Faults of connections that REQUIRE_TLS does not allow, one sentence each. */
export function findTlsConflicts(config: Connections & TlsSettings & { environment: string }): string[] {
  if (!config.requireTls) return []
  const sandbox = config.environment === 'sandbox' ? ['REQUIRE_TLS: needs ENVIRONMENT=production: simulators speak plain HTTP'] : []
  return [...sandbox, ...findUnencrypted(config).map(({ setting, fact }) => `${setting}: ${fact}; REQUIRE_TLS does not allow that`)]
}

function refuse(missing: string): never {
  throw new InvalidSetting(`complete: ${missing} is needed with it`)
}
