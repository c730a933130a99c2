import type { Catalogue, Clock, CrashPoints, FileScanning, Logging, Store, Vault } from '../context/groups.ts'

/** Dependencies for accepting a grant: credentials are stored. */
export interface GrantContext extends Store, Vault, Clock, FileScanning, CrashPoints {}

/** Dependencies for completing an authorization. */
export interface AuthorizationContext extends GrantContext, Catalogue, Logging {}
