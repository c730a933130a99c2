import type { Sources } from '../../connectors/sources.ts'
import type { MailContext } from '../../mail/queue.ts'
import type { Category } from '../../model/catalogue.ts'
import type { CrashHook } from '../../model/crash-points.ts'
import type { Database } from '../../store/db/database.ts'
import type { Sealer } from '../../store/keys/sealing.ts'

/** The database, where a function also needs one of the groups below; a function that needs nothing else takes `Db` first. */
export interface Store {
  database: Database
}

/** What turns secrets that follow from the deployment's key into text that may leave. */
export interface Tokens {
  hashToken: TokenHash
  hide: Hide
}

/** What guards secrets. */
export interface Vault extends Tokens {
  sealer: Sealer
}

/** Keyed hash under which tokens are stored and looked up. */
export type TokenHash = (token: string) => Uint8Array

/** Lets no log line show this secret from now on. */
export type Hide = (value: string) => void

/** Which sources there are, and where they and owners find this deployment. */
export interface Catalogue {
  sources: Sources
  /** Public address of this deployment, no trailing slash. */
  baseUrl: string
}

export interface Clock {
  now(): Date
}

export interface Logging {
  log: Log
}

/** Where sync reports what a person may want to know; ids, codes and counts only. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export interface Mailing {
  /** Left out: no mail server is set. */
  mail?: MailContext
}

/** What a change of published data, or a run that found none, is told to. */
export interface Publishing {
  /** `READ_LEASE_MS` when left out; 0 where no process serves kept pages. */
  readLeaseMs?: number
  /** Told of each run that has ended, once that is committed; not of one that another took over or that somebody ended, nor of replays. */
  onRunEnded?(run: EndedRun): void
}

export interface EndedRun {
  category: Category
  result: 'published' | 'unchanged' | 'failed'
  /** From its start, with waits between attempts. */
  seconds: number
}

export interface FileFeeds {
  /** What feeds of files may reach; left out, they reach nothing. */
  feeds?: FileFeedReach
}

export interface FileFeedReach {
  /** Folder below which watched folders lie; null: there are none. */
  dir: string | null
  /** Whether SFTP servers may be on loopback and private addresses. */
  allowPrivate: boolean
}

export interface CrashPoints {
  /** Stops here in a proof that kills processes at named places; elsewhere there is nothing to wait for. */
  crashPoint?: CrashHook
}
