import type { Catalogue, Clock, CrashPoints, FileFeeds, FileScanning, Logging, Mailing, Publishing, Store, Vault } from './groups.ts'

/**
 * All dependencies of sync; built once, in process/start.ts. Used only there, by the job table and by routes: functions
 * take the groups they use.
 */
export interface SyncDeps extends Store, Vault, Catalogue, Clock, Logging, Mailing, Publishing, FileFeeds, FileScanning, CrashPoints {}
