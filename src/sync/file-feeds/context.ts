import type { Catalogue, Clock, CrashPoints, FileFeeds, FileScanning, Logging, Store, Vault } from '../context/groups.ts'

/** Dependencies for importing a feed's file: it may create a connection. */
export interface FileImportContext extends Store, Vault, Catalogue, Clock, Logging, FileScanning, CrashPoints {}

/** Dependencies for one poll of a feed. */
export interface FeedContext extends FileImportContext, FileFeeds {}
