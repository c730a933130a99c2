import type { Sources } from '../../connectors/sources.ts'
import type { MailContext } from '../../mail/queue.ts'
import type { Category } from '../../model/catalogue.ts'
import type { CrashHook } from '../../model/crash-points.ts'
import type { Database } from '../../store/db/database.ts'
import type { Replicas } from '../../store/db/replicas/replicas.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'

/**
 * Database, for functions that also need one of the groups below; a function that needs nothing else takes `Db` first.
 */
export interface Store {
  database: Database
  /** Absent: all reads go to the primary. */
  replicas?: Replicas | undefined
}

/** Derives tokens from the deployment's key. */
export interface Tokens {
  hashToken: TokenHash
  hide: Hide
}

/** Sealing, hashing and redaction of secrets. */
export interface Vault extends Tokens {
  sealer: Sealer
  /** Absent: raw pages are not stored in object storage. */
  pageObjects?: PageObjects
}

/**
 * Objects with the bytes of raw pages, under the keys of `toObjectKey`. All three methods retry and then throw
 * `StorageRefused`.
 */
export interface PageObjects {
  /** Whether new pages are stored there; otherwise existing ones are moved back to the database. */
  isDestination: boolean
  /** Resolves once the storage is known to have these bytes. */
  put(objectKey: string, bytes: Uint8Array): Promise<void>
  /** Null if the object does not exist. */
  get(objectKey: string, bytes: number): Promise<Uint8Array | null>
  /** A missing object is not an error. */
  remove(objectKey: string): Promise<void>
}

/** Redacts this secret in all log lines from now on. */
export type Hide = (value: string) => void

/** Sources, and the URL of this deployment for them and for owners. */
export interface Catalogue {
  sources: Sources
  /** Public URL of the owners' pages (`CONNECT_URL`), and of what sources call; no trailing slash. */
  baseUrl: string
}

export interface Clock {
  now(): Date
}

export interface Logging {
  log: Log
}

/** Log of sync; ids, codes and counts only. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export interface Mailing {
  /** Absent: no mail server is configured. */
  mail?: MailContext
}

/** Publication of data: read leases, and a callback for ended runs. */
export interface Publishing {
  /** Default `READ_LEASE_MS`; 0 when no process caches pages. */
  readLeaseMs?: number
  /** Called after the commit of each ended run; not for an overtaken or abandoned run, nor for replays. */
  onRunEnded?(run: EndedRun): void
}

export interface EndedRun {
  category: Category
  result: 'published' | 'unchanged' | 'failed'
  /** From its start, including delays between attempts. */
  seconds: number
}

export interface FileFeeds {
  /** What file feeds may access; nothing if absent. */
  feeds?: FileFeedReach
}

export interface FileFeedReach {
  /** Root of watched folders; null: none. */
  dir: string | null
  /** Whether SFTP servers may be on loopback and private addresses. */
  allowPrivate: boolean
}

export interface FileScanning {
  /** Absent: files are not scanned. */
  malwareScanner?: MalwareScanner
}

export interface MalwareScanner {
  /** Throws `ScannerUnavailable` when there is no result in time. */
  scan(bytes: Uint8Array): Promise<ScanResult>
}

/** Result of a scan; `tooLarge`: the scanner takes no file of this size, so nothing is known about it. */
export type ScanResult = { is: 'clean' } | { is: 'found'; signature: string } | { is: 'tooLarge' }

export interface CrashPoints {
  /** Crash hook of tests that kill processes at named points; absent otherwise. */
  crashPoint?: CrashHook
}
