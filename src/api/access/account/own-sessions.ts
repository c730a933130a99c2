import { endSessionOfUser, listSessions, type Session } from '../../../store/access/sessions.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { notFound, orNotFound } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'

/** Sessions of the caller that can still be used, last used first. */
export function listOwnSessions(access: Access, { instanceId, userId }: UserCaller): Promise<Session[]> {
  return listSessions(access.database, instanceId, userId, access.now())
}

/** Throws a 404 for one that is unknown, has ended or is another user's. */
export async function getOwnSession(access: Access, caller: UserCaller, id: string): Promise<Session> {
  return orNotFound(
    (await listOwnSessions(access, caller)).find((session) => session.id === id),
    'session',
  )
}

/** Ends one session of the caller. Throws a 404 for one that is unknown, has ended or is another user's. */
export async function endOwnSession(access: Access, { instanceId, userId }: UserCaller, id: string): Promise<void> {
  await inTransaction(access.database, async (db) => {
    if (!(await endSessionOfUser(db, { instanceId, userId, id }, 'ended by its user', access.now()))) throw notFound('session')
    await audit(access, db, { instanceId, action: 'session.ended', userId, subject: `session/${id}` })
  })
}
