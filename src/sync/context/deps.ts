import type { Catalogue, Clock, CrashPoints, FileFeeds, Logging, Mailing, Publishing, Store, Vault } from './groups.ts'

/** All that sync works with; built once, in process/start.ts. Known to what builds it, to the job table and to routes: functions take the groups that they use. */
export interface SyncDeps extends Store, Vault, Catalogue, Clock, Logging, Mailing, Publishing, FileFeeds, CrashPoints {}
