import { findUser, type User } from '../../../store/access/users.ts'
import type { Db } from '../../../store/db/database.ts'
import { type Caller, responsibleUserId } from '../caller.ts'

/** Who a link or a request came from, for owners and for the timeline. */
export interface Issuer {
  /**
   * E-mail address of the calling user, or of the user who created the calling API key; empty once that user is
   * deleted.
   */
  issuedBy: string
  /** Application of the API key that asks; null: a user does. */
  applicationId: string | null
}

export async function issuerOf(db: Db, caller: Caller): Promise<Issuer> {
  return toIssuer(caller, await findResponsibleUser(db, caller))
}

/** Calling user, or the user who created the calling API key; null once that user is deleted. */
export function findResponsibleUser(db: Db, caller: Caller): Promise<User | null> {
  return findUser(db, caller.instanceId, responsibleUserId(caller))
}

export function toIssuer(caller: Caller, user: User | null): Issuer {
  return { issuedBy: user?.email ?? '', applicationId: caller.keyId === null ? null : caller.applicationId }
}
