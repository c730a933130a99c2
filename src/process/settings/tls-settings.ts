import type { TlsFiles } from '../tls/certificate.ts'
import type { ReadSetting } from './limits.ts'
import { InvalidSetting, toFolder } from './setting-values.ts'

export interface TlsSettings {
  /** Certificate and key of every server of this process; null: they serve plain HTTP. */
  tls: TlsFiles | null
}

/** The files are checked by `Folders`. */
export function readTls(read: ReadSetting): TlsSettings {
  const certFile = read('TLS_CERT_FILE', toFolder, null)
  const keyFile = read('TLS_KEY_FILE', toFolder, null)
  if (certFile !== null && keyFile === null) read('TLS_CERT_FILE', () => refuse('TLS_KEY_FILE'), null)
  if (certFile === null && keyFile !== null) read('TLS_KEY_FILE', () => refuse('TLS_CERT_FILE'), null)
  return { tls: certFile !== null && keyFile !== null ? { certFile, keyFile } : null }
}

function refuse(missing: string): never {
  throw new InvalidSetting(`complete: ${missing} is needed with it`)
}
