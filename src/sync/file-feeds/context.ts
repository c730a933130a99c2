import type { Catalogue, Clock, CrashPoints, FileFeeds, Logging, Store, Vault } from '../context/groups.ts'

/** What taking a file from a feed takes: it may make a connection. */
export interface FileImportContext extends Store, Vault, Catalogue, Clock, Logging, CrashPoints {}

/** What one look at a feed takes. */
export interface FeedContext extends FileImportContext, FileFeeds {}
