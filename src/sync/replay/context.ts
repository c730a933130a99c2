import type { Catalogue, CrashPoints, Logging, Publishing, Store, Vault } from '../context/groups.ts'

/** Dependencies for replaying stored pages: no source is called. */
export interface ReplayContext extends Store, Vault, Catalogue, Logging, Publishing, CrashPoints {}
