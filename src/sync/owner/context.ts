import type { CrashPoints, Logging, Mailing, Publishing } from '../context/groups.ts'
import type { LinkContext } from '../links/context.ts'

/** What mailing an owner a link takes. */
export interface OwnerMailContext extends LinkContext, Mailing {}

/** What an owner's own actions take: a connection changes, and the owner is told. */
export interface OwnerContext extends OwnerMailContext, Publishing {}

/** What the job that reminds owners takes. */
export interface ReminderContext extends OwnerMailContext, Logging, CrashPoints {}
