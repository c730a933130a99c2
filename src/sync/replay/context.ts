import type { Catalogue, CrashPoints, Logging, Publishing, Store, Vault } from '../context/groups.ts'

/** What replaying stored pages takes: no source is asked. */
export interface ReplayContext extends Store, Vault, Catalogue, Logging, Publishing, CrashPoints {}
