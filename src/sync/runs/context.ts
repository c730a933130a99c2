import type { Catalogue, CrashPoints, Logging, Publishing, Store, Vault } from '../context/groups.ts'
import type { CredentialsContext } from '../credentials/context.ts'

/** Dependencies for handling a failed run: status, alarm, event. */
export interface FailureContext extends Store, Vault, Catalogue, Logging, Publishing, CrashPoints {}

/** Dependencies of a run, from its first page to its publication. */
export interface RunContext extends CredentialsContext, Catalogue, Publishing {}
