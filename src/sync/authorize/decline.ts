import { recordChange } from '../../audit/record.ts'
import type { Sources } from '../../connectors/sources.ts'
import { lockProvisional } from '../../store/connections/connections.ts'
import { endConsent, findUnusedConsent } from '../../store/connections/consents.ts'
import { revokeHandOffs } from '../../store/connections/hand-offs.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { lockLinks } from '../../store/connections/links.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import type { OpenLink } from '../links/link.ts'
import { Declined, failAuthorization } from './authorization-failure.ts'
import { createProvisional } from './authorize.ts'
import { type GivenConsent, recordDeclinedConsent } from './consent.ts'

/**
 * The owner declines a link: a consent given with it ends, a text only read is recorded as declined (`read`; null when
 * it was not the current one), hand-offs become unusable, and the connection and its subscribers are notified. False
 * when the link has led to a connection in the meantime.
 */
export async function declineLink(
  database: Database,
  sources: Sources,
  open: OpenLink,
  read: GivenConsent | null,
  at: Date,
): Promise<boolean> {
  const { instanceId, companyId, id: linkId } = open.link
  return await inTransaction(database, async (db) => {
    const known = await lockProvisional(db, instanceId, companyId, open.service.id)
    if (!(await lockLinks(db, instanceId, linkId))) return false
    await revokeHandOffs(db, instanceId, linkId)
    const given = await findUnusedConsent(db, instanceId, linkId)
    if (given) await endConsent(db, instanceId, given.id, { endedAt: at, how: 'withdrawn' })
    else if (read) await recordDeclinedConsent(db, open, read)
    await failAuthorization(db, sources, known ?? (await createProvisional(db, open)), new Declined('the owner declined'))
    await countStep(db, open.link, 'declined')
    await recordChange(db, { instanceId, action: 'consent.declined', subject: `link/${linkId}` })
    return true
  })
}
