import { readFileSync } from 'node:fs'
import type { ServerIdentity, ServerTls } from '../../api/context/server-tls.ts'
import { repeat } from '../../jobs/repeat.ts'
import { InvalidCertificate, readIdentity, type TlsFiles } from './certificate.ts'

/** Interval at which the files are read. */
const LOOK_EVERY_MS = 5_000

interface RenewalLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface RenewalParts {
  log: RenewalLog
  now(): Date
}

/** TLS identity from two files, with each that follows it there. */
export class RenewedIdentity implements ServerTls {
  identity: ServerIdentity
  readonly #files: TlsFiles
  readonly #parts: RenewalParts
  readonly #users: ((identity: ServerIdentity) => void)[] = []
  /** Content of the files that is used, or is known to be unusable. */
  #seen: string

  /** Throws `InvalidCertificate`. */
  constructor(files: TlsFiles, parts: RenewalParts) {
    this.#files = files
    this.#parts = parts
    const { cert, key } = readIdentity(files, parts.now())
    this.identity = { cert, key }
    this.#seen = `${cert}${key}`
  }

  onRenewed(use: (identity: ServerIdentity) => void): void {
    this.#users.push(use)
  }

  /**
   * Takes over what the files hold now. If it cannot be used (a renewal may be half written), the identity stays, and
   * the log gives the reason once for each content.
   */
  look(): void {
    const content = readContent(this.#files)
    if (content === this.#seen) return
    this.#seen = content
    const { log, now } = this.#parts
    try {
      const { cert, key, expiresAt } = readIdentity(this.#files, now())
      this.identity = { cert, key }
      for (const use of this.#users) use(this.identity)
      log.info({ expiresAt }, 'a renewed certificate is used')
    } catch (error) {
      if (!(error instanceof InvalidCertificate)) throw error
      log.warn({ faults: error.faults }, 'the renewed certificate cannot be used; the earlier one stays')
    }
  }
}

/** Opens the identity and takes over renewed ones until the closer is called. Throws `InvalidCertificate`. */
export function watchIdentity(files: TlsFiles, log: RenewalLog, closers: (() => Promise<unknown>)[]): RenewedIdentity {
  const identity = new RenewedIdentity(files, { log, now: () => new Date() })
  const look = (): void => {
    try {
      identity.look()
    } catch (error) {
      log.error({ err: error }, 'the certificate could not be read again')
    }
  }
  const timer = repeat({ everyMs: LOOK_EVERY_MS, restMs: LOOK_EVERY_MS, isBackground: true }, look)
  closers.push(async () => timer.stop())
  return identity
}

/** NOTE read in this thread: each step of a read in another one wakes this one, in a process that rests. */
function readContent({ certFile, keyFile }: TlsFiles): string {
  try {
    return [certFile, keyFile].map((path) => readFileSync(path, 'utf8')).join('')
  } catch (error) {
    return `unreadable: ${error instanceof Error && 'code' in error ? error.code : ''}`
  }
}
