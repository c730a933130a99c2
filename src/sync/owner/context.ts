import type { CrashPoints, Logging, Mailing, Publishing } from '../context/groups.ts'
import type { LinkContext } from '../links/context.ts'

/** Dependencies for mailing an owner a link. */
export interface OwnerMailContext extends LinkContext, Mailing {}

/** Dependencies for an owner's own actions: they change a connection and notify the owner. */
export interface OwnerContext extends OwnerMailContext, Publishing {}

/** Dependencies of the reminder job. */
export interface ReminderContext extends OwnerMailContext, Logging, CrashPoints {}
