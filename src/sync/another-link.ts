import { randomUUID } from 'node:crypto'
import { listConsentsOfLink, recordConsent } from '../store/consents.ts'
import { type Db, inTransaction } from '../store/database.ts'
import { copyLink, findLinkByToken, type Link } from '../store/links.ts'
import { beginAuthorization } from './authorize.ts'
import type { SyncDeps } from './deps.ts'
import { describeLink, type OpenLink } from './link.ts'

/** Links that an owner can make one after the other. */
const MOST_LINKS = 30

/**
 * A link for one more bank, at the same provider and under the permission of a link that was used: the owner's, made without the
 * developer. Its token is derived, so that clicking twice makes one; when that one is used up too, the next in line.
 */
export async function linkAnother(deps: SyncDeps, used: { open: OpenLink; token: string }): Promise<{ token: string }> {
  let token = used.token
  for (let turn = 0; turn < MOST_LINKS; turn += 1) {
    token = Buffer.from(deps.hashToken(`another/${token}`)).toString('base64url')
    const tokenHash = deps.hashToken(token)
    await copyLink(deps.database, used.open.link, { id: randomUUID(), tokenHash, serviceId: used.open.link.serviceId })
    const link = await findLinkByToken(deps.database, tokenHash)
    if (!link) throw new Error('a link that was just made is gone')
    if (link.completedAt !== null) continue
    await inTransaction(deps.database, async (db) => await permitAlike(db, used.open.link, link, deps.now()))
    const open = await describeLink(deps, link)
    if (open) await beginAuthorization(deps, open)
    return { token }
  }
  throw new Error('the owner has made as many links as there may be')
}

/** The same permission once more, given now by asking for another bank. */
async function permitAlike(db: Db, used: Link, next: Link, givenAt: Date): Promise<void> {
  const given = (await listConsentsOfLink(db, used.instanceId, used.id)).at(-1)
  if (!given || (await listConsentsOfLink(db, next.instanceId, next.id)).some(({ endedAt }) => endedAt === null)) return
  await recordConsent(db, {
    ...given,
    id: randomUUID(),
    linkId: next.id,
    serviceId: next.serviceId,
    textHash: Buffer.from(given.textHash, 'hex'),
    givenAt,
    expiresAt: given.expiresAt,
  })
}
