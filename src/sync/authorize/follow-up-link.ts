import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import { listConsentsOfLink, recordConsent } from '../../store/connections/consents.ts'
import { type Link, lockLinks, prolongLink } from '../../store/connections/links.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import type { LinkContext } from '../links/context.ts'
import { LinkAlreadyUsed } from '../links/errors.ts'
import { deriveLinkToken, describeLink, findLink, issueCopy, LinkLimitReached, type OpenLink } from '../links/link.ts'
import { beginAuthorization } from './authorize.ts'

/** Maximum number of follow-up links in a row. */
const MAX_LINKS = 30
/** Lifetime of a follow-up link, whatever the age of the used link. */
const LIFE_MINUTES = 60

/**
 * Follow-up link: lets the owner of a used link connect one more bank at the same provider under the same consent,
 * without the developer. The token is derived, so that two clicks create one link; when that is used up too, the next
 * in line. `agreed`: the consent is still valid; otherwise the owner is asked again.
 */
export async function issueFollowUpLink(
  deps: LinkContext,
  used: { open: OpenLink; token: string },
): Promise<{ token: string; agreed: boolean }> {
  const { instanceId, serviceId } = used.open.link
  let token = used.token
  for (let turn = 0; turn < MAX_LINKS; turn += 1) {
    token = await deriveLinkToken(deps, `another/${token}`)
    if (!(await findLink(deps, token))) await issueCopy(deps.database, used.open.link, { tokenHash: deps.hashToken(token), serviceId })
    const link = await findLink(deps, token)
    if (!link) throw new Error('a link that was just made is gone')
    await prolongLink(deps.database, { instanceId, id: link.id }, LIFE_MINUTES)
    if (link.completedAt !== null) continue
    const agreed = await inTransaction(deps.database, (db) => permitAlike(db, used.open.link, link, deps.now()))
    const open = agreed ? await describeLink(deps, link) : null
    if (open) await beginAuthorization(deps.database, open)
    return { token, agreed }
  }
  throw new LinkLimitReached('the owner has made as many links as there may be')
}

/** Repeats the consent for the next link, given now by asking for another bank; false when it has ended. */
async function permitAlike(db: Db, used: Link, next: Link, givenAt: Date): Promise<boolean> {
  if (!(await lockLinks(db, next.instanceId, next.id))) throw new LinkAlreadyUsed('the link was used up')
  if ((await listConsentsOfLink(db, next.instanceId, next.id)).some(({ endedAt }) => endedAt === null)) return true
  // Of several banks that resulted from it, one may have been withdrawn.
  const given = (await listConsentsOfLink(db, used.instanceId, used.id)).findLast(({ endedAt }) => endedAt === null)
  if (!given) return false
  const id = randomUUID()
  await recordConsent(db, {
    ...given,
    id,
    linkId: next.id,
    serviceId: next.serviceId,
    textHash: Buffer.from(given.textHash, 'hex'),
    givenAt,
    expiresAt: given.expiresAt,
  })
  await recordChange(db, { instanceId: next.instanceId, action: 'consent.given', subject: `consent/${id}`, after: given })
  return true
}
