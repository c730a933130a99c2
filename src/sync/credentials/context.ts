import type { Clock, CrashPoints, Logging, Store, Vault } from '../context/groups.ts'

/** Dependencies for opening credentials, which may have to be refreshed first. */
export interface CredentialsContext extends Store, Vault, Clock, Logging, CrashPoints {}
