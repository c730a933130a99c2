import { randomUUID } from 'node:crypto'
import { listConsentsOfLink, recordConsent } from '../../store/connections/consents.ts'
import { copyLink, findLinkByToken, type Link, lockLinks, prolongLink } from '../../store/connections/links.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import type { LinkContext } from '../links/context.ts'
import { LinkAlreadyUsed } from '../links/errors.ts'
import { describeLink, LinkLimitReached, type OpenLink } from '../links/link.ts'
import { beginAuthorization } from './authorize.ts'

/** Links that an owner can make one after the other. */
const MAX_LINKS = 30
/** The time in which one more bank is connected, however old the link is that was used. */
const LIFE_MINUTES = 60

/**
 * A link for one more bank, at the same provider and under the permission of a link that was used: the owner's, made without the
 * developer. Its token is derived, so that clicking twice makes one; when that one is used up too, the next in line. `agreed`: the permission
 * still stands; where it ended meanwhile, the owner is asked anew.
 */
export async function issueFollowUpLink(
  deps: LinkContext,
  used: { open: OpenLink; token: string },
): Promise<{ token: string; agreed: boolean }> {
  let token = used.token
  for (let turn = 0; turn < MAX_LINKS; turn += 1) {
    token = Buffer.from(deps.hashToken(`another/${token}`)).toString('base64url')
    const tokenHash = deps.hashToken(token)
    await copyLink(deps.database, used.open.link, { id: randomUUID(), tokenHash, serviceId: used.open.link.serviceId })
    await prolongLink(deps.database, used.open.link.instanceId, tokenHash, LIFE_MINUTES)
    const link = await findLinkByToken(deps.database, tokenHash)
    if (!link) throw new Error('a link that was just made is gone')
    if (link.completedAt !== null) continue
    const agreed = await inTransaction(deps.database, (db) => permitAlike(db, used.open.link, link, deps.now()))
    const open = agreed ? await describeLink(deps, link) : null
    if (open) await beginAuthorization(deps.database, open)
    return { token, agreed }
  }
  throw new LinkLimitReached('the owner has made as many links as there may be')
}

/** The same permission once more, given now by asking for another bank; false when it has ended. */
async function permitAlike(db: Db, used: Link, next: Link, givenAt: Date): Promise<boolean> {
  if (!(await lockLinks(db, next.instanceId, next.id))) throw new LinkAlreadyUsed('the link was used up')
  if ((await listConsentsOfLink(db, next.instanceId, next.id)).some(({ endedAt }) => endedAt === null)) return true
  // Of several banks that came of it, one may have been withdrawn.
  const given = (await listConsentsOfLink(db, used.instanceId, used.id)).findLast(({ endedAt }) => endedAt === null)
  if (!given) return false
  await recordConsent(db, {
    ...given,
    id: randomUUID(),
    linkId: next.id,
    serviceId: next.serviceId,
    textHash: Buffer.from(given.textHash, 'hex'),
    givenAt,
    expiresAt: given.expiresAt,
  })
  return true
}
