import type { Sources } from '../../connectors/sources.ts'
import type { MailContext } from '../../mail/queue.ts'
import type { Category } from '../../model/catalogue.ts'
import type { CrashHook } from '../../model/crash-points.ts'
import type { Database } from '../../store/db/database.ts'
import type { Sealer } from '../../store/keys/sealing.ts'

/** What the sync room works with; built once, in start.ts. */
export interface SyncDeps {
  database: Database
  sealer: Sealer
  sources: Sources
  log: SyncLog
  /** Lets no log line show this secret from now on. */
  hide(value: string): void
  /** Keyed hash under which tokens are stored and looked up. */
  hashToken(token: string): Uint8Array
  /** Public address of this deployment, no trailing slash. */
  baseUrl: string
  /** `READ_LEASE_MS` when left out; 0 where no process serves kept pages. */
  readLeaseMs?: number
  now(): Date
  /** What feeds of files may reach; left out, they reach nothing. */
  feeds?: FeedReach
  /** Left out: no mail server is set. */
  mail?: MailContext
  /** Told of each run that has ended, once that is committed; not of one that another took over or that somebody ended, nor of replays. */
  onRunEnded?(run: EndedRun): void
  /** Stops here in a proof that kills processes at named places; elsewhere there is nothing to wait for. */
  crashPoint?: CrashHook
}

export interface EndedRun {
  category: Category
  result: 'published' | 'unchanged' | 'failed'
  /** From its start, with waits between attempts. */
  seconds: number
}

export interface FeedReach {
  /** Folder below which watched folders lie; null: there are none. */
  dir: string | null
  /** Whether SFTP servers may be on loopback and private addresses. */
  allowPrivate: boolean
}

/** Where the room reports what a person may want to know; ids, codes and counts only. */
interface SyncLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}
