import { v5 as uuidv5 } from 'uuid'
import { recordChange } from '../../audit/record.ts'
import { queueMail } from '../../mail/queue.ts'
import type { Locale } from '../../model/values/text.ts'
import {
  createHandOff,
  findHandOff,
  findOpenHandOff,
  type HandOff,
  noteHandOffDeclined,
  noteHandOffMail,
  revokeHandOffs,
} from '../../store/connections/hand-offs.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { openJson, sealJson } from '../../store/keys/sealed-json.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { findMailBranding } from '../branding/mail-branding.ts'
import type { Catalogue, Mailing, Store, Vault } from '../context/groups.ts'
import { LinkAlreadyUsed } from './errors.ts'
import { deriveLinkToken, LinkLimitReached, linkAddress, type OpenLink } from './link.ts'

/** Helper: the person to whom an owner hands a link off. */
export interface Helper {
  /** May be empty. */
  name: string
  /** Null when the owner removes the address. */
  email: string | null
}

export interface HandOffRequest {
  open: OpenLink
  /** Token of the owner's link. */
  token: string
  /** Generated for each page that offers a hand-off: makes the request idempotent. */
  onceId: string
  institutionId: string | null
  helper: Helper
  locale: Locale
  /** Sanitized for use in a sentence. */
  names: { requester: string; company: string; service: string }
}

/**
 * Hand-off: creates a link for a helper and, if an address is given, mails it. The token is derived, so that a repeated
 * request yields the same URL. Throws `LinkAlreadyUsed`, also for a revoked hand-off, `LinkLimitReached`, and the
 * errors of `queueMail`.
 */
export async function handOff(deps: Store & Vault & Catalogue & Mailing, request: HandOffRequest): Promise<string> {
  const { open, helper, names } = request
  const { instanceId, companyId, serviceId, id: parentId } = open.link
  // The same page with another address (back button) is another request.
  const linkId = uuidv5(JSON.stringify([request.onceId, request.institutionId, helper.name, helper.email]), parentId)
  const token = await deriveLinkToken(deps, `hand-off/${request.token}/${linkId}`)
  const address = linkAddress(deps.baseUrl, { instanceId, companyId, serviceId }, token)
  const sealed = sealJson(deps.sealer, sealContextOf(instanceId, linkId), helper)
  const linked = { instanceId, parentId, linkId, tokenHash: deps.hashToken(token) }
  await inTransaction(deps.database, async (db) => {
    const created = await createHandOff(db, { ...linked, institutionId: request.institutionId, helper: sealed })
    if (!created) throw new LinkAlreadyUsed('the link was used up')
    if (created === 'full') throw new LinkLimitReached('the link was handed on too often')
    if (!created.made) return
    const record = () => recordChange(db, { instanceId, action: 'hand-off.created', subject: `link/${linkId}`, after: helper })
    if (helper.email === null) return await record()
    const mailId = await queueMail(db, deps.mail, {
      instanceId,
      kind: 'handOff',
      facts: { ...names, helper: helper.name, address, expiresAt: created.expiresAt },
      locale: request.locale,
      to: { address: helper.email, name: helper.name },
      companyId,
      branding: await findMailBranding(db, { instanceId, companyId }, open.pages),
    })
    await noteHandOffMail(db, instanceId, linkId, mailId)
    await record()
  })
  return address
}

export type OpenHandOff = Omit<HandOff, 'helper'> & { helper: Helper }

/** Hand-off of an owner's link, which can be revoked; null when there is none. */
export async function findOutgoingHandOff(db: Db, sealer: Sealer, link: { instanceId: string; id: string }): Promise<OpenHandOff | null> {
  const found = await findOpenHandOff(db, link.instanceId, link.id)
  return found && { ...found, helper: openHelper(sealer, link.instanceId, found) }
}

/** Hand-off by its own link. */
export async function findIncomingHandOff(db: Db, sealer: Sealer, link: { instanceId: string; id: string }): Promise<OpenHandOff | null> {
  const found = await findHandOff(db, link.instanceId, link.id)
  return found && { ...found, helper: openHelper(sealer, link.instanceId, found) }
}

export async function revokeHandOff(database: Database, { instanceId, id }: { instanceId: string; id: string }): Promise<void> {
  await inTransaction(database, async (db) => {
    const links = await revokeHandOffs(db, instanceId, id)
    if (links > 0) await recordChange(db, { instanceId, action: 'hand-off.revoked', subject: `link/${id}`, details: { links } })
  })
}

/** The helper begins, or declines. */
export async function answerHandOff(database: Database, link: { instanceId: string; id: string }, isDeclined: boolean): Promise<void> {
  const { instanceId, id } = link
  const action = isDeclined ? 'hand-off.declined' : 'hand-off.accepted'
  await inTransaction(database, async (db) => {
    await noteHandOffDeclined(db, instanceId, id, isDeclined)
    await recordChange(db, { instanceId, action, subject: `link/${id}` })
  })
}

function openHelper(sealer: Sealer, instanceId: string, { linkId, helper }: HandOff): Helper {
  return helper ? openJson<Helper>(sealer, sealContextOf(instanceId, linkId), helper) : { name: '', email: null }
}

function sealContextOf(instanceId: string, rowId: string) {
  return { instanceId, table: 'hand_offs', rowId, column: 'helper' }
}
