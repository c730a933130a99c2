import type { Catalogue, Publishing } from '../context/groups.ts'
import type { CredentialsContext } from '../credentials/context.ts'

/** Dependencies of a run, from its first page to its publication. */
export interface RunContext extends CredentialsContext, Catalogue, Publishing {}
