import type { Catalogue, Clock, CrashPoints, Logging, Store, Vault } from '../context/groups.ts'

/** What accepting a grant takes: a connection gets its credentials. */
export interface GrantContext extends Store, Vault, Clock, CrashPoints {}

/** What an authorization takes from the source's answer to the grant. */
export interface AuthorizationContext extends GrantContext, Catalogue, Logging {}
