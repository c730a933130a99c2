import type { Clock, CrashPoints, Logging, Store, Vault } from '../context/groups.ts'

/** What opening credentials takes, as they may have to be refreshed first. */
export interface CredentialsContext extends Store, Vault, Clock, Logging, CrashPoints {}
