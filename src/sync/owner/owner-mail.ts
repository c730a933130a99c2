import { recordChange } from '../../audit/record.ts'
import { BadMailAddress, type MailContext, type MailRequest, NoMailServer, queueMail, TooManyMails } from '../../mail/queue.ts'
import type { MailBranding } from '../../mail/render.ts'
import type { MailFacts } from '../../mail/texts/facts.ts'
import { toMailAddress } from '../../model/values/mail-address.ts'
import type { Locale } from '../../model/values/text.ts'
import { findInstance } from '../../store/access/instances.ts'
import { findCompany } from '../../store/connections/companies.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { openText } from '../../store/keys/sealed-json.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { deleteOwnerAddress, findOwnerAddress, saveOwnerAddress } from '../../store/owners/owner-addresses.ts'
import { getOwnerPages } from '../../store/owners/owner-pages.ts'
import type { CompanyScope } from '../../store/records/account-matches.ts'
import { findMailBranding } from '../branding/mail-branding.ts'
import type { Catalogue, Clock, Mailing, Store, Vault } from '../context/groups.ts'
import { createOwnerLink, type LinkOptions, recordLink } from '../links/link.ts'
import { findService } from '../sources/catalogue.ts'
import { issueOwnerAccess } from './owner-access.ts'

/** Names of the instance and the business in a mail to an owner. */
interface MailNames {
  requester: string
  company: string
  branding: MailBranding
}

/** Reason why a mail was not queued, for a page or a response; null for any other error. */
export function mailRefusalOf(error: unknown): 'address' | 'tooMany' | 'noServer' | null {
  if (error instanceof BadMailAddress) return 'address'
  if (error instanceof TooManyMails) return 'tooMany'
  return error instanceof NoMailServer ? 'noServer' : null
}

/**
 * Creates a link and mails it to an owner, in one transaction; returns the mail's id. `kind` is `repair` for a
 * connection that needs the owner again. Throws the errors of `queueMail`.
 */
export async function mailLink(
  db: Db,
  deps: Vault & Catalogue & Clock & Mailing,
  request: CompanyScope & {
    serviceId: string
    issuedBy: string
    applicationId?: string | null
    kind: 'link' | 'repair'
    to: string
    locale: Locale
    note: string
    options: LinkOptions
    replyTo?: string
    isOwed?: boolean
  },
): Promise<string> {
  const { mail } = deps
  if (!mail) throw new NoMailServer()
  const { kind, to, locale, note, options, replyTo, isOwed } = request
  const names = await namesOf(db, request)
  const service = await findService(db, deps.sources, request.instanceId, request.serviceId)
  const link = await createOwnerLink(db, deps, request, { ...options, language: options.language ?? locale })
  const { address, expiresAt } = link
  const mailId = await queue(db, mail, names, {
    ...{ instanceId: request.instanceId, companyId: request.companyId, kind, locale, to: { address: to } },
    facts: { requester: names.requester, company: names.company, service: service?.name ?? '', address, expiresAt, note },
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(isOwed === undefined ? {} : { isExemptFromLimits: isOwed }),
  })
  await recordLink(db, link, { isMailed: true })
  return mailId
}

/**
 * Mails the owner at the stored address; false without one, or without a mail server. Exempt from limits, since it is
 * owed to the owner.
 */
export async function mailOwner<Kind extends 'consentEnding' | 'withdrawn' | 'agreed'>(
  db: Db,
  deps: Vault & Mailing,
  scope: CompanyScope,
  kind: Kind,
  factsOf: (names: { requester: string; company: string }, locale: Locale) => Promise<MailFacts[Kind]> | MailFacts[Kind],
): Promise<boolean> {
  const { mail } = deps
  const owner = mail ? await readOwnerAddress(db, deps.sealer, scope) : null
  if (!owner || !mail) return false
  const names = await namesOf(db, scope)
  const facts = await factsOf(names, owner.locale)
  const { instanceId, companyId } = scope
  await queue(db, mail, names, {
    instanceId,
    companyId,
    kind,
    facts,
    locale: owner.locale,
    to: { address: owner.address },
    isExemptFromLimits: true,
  })
  return true
}

/**
 * Mails the owner the URL of their own page, at the stored address; null without one. Throws the errors of `queueMail`.
 */
export async function mailOwnerPage(deps: Store & Vault & Catalogue & Mailing, scope: CompanyScope): Promise<string | null> {
  const { mail } = deps
  if (!mail) throw new NoMailServer()
  const owner = await readOwnerAddress(deps.database, deps.sealer, scope)
  if (!owner) return null
  const names = await namesOf(deps.database, scope)
  const address = await issueOwnerAccess(deps, { ...scope, language: owner.locale })
  const facts = { requester: names.requester, company: names.company, address }
  const to = { address: owner.address }
  return await inTransaction(deps.database, async (db) => {
    const mailId = await queue(db, mail, names, { ...scope, kind: 'ownerPage', facts, locale: owner.locale, to })
    const { instanceId, companyId } = scope
    await recordChange(db, { instanceId, action: 'owner-page.mailed', subject: `company/${companyId}` })
    return mailId
  })
}

/** Mail address of a company's owner, with the language in which it was entered; null when there is none. */
export async function readOwnerAddress(db: Db, sealer: Sealer, scope: CompanyScope): Promise<{ address: string; locale: Locale } | null> {
  const found = await findOwnerAddress(db, scope.instanceId, scope.companyId)
  if (!found) return null
  return { address: openText(sealer, sealContextOf(scope), found.address), locale: found.locale }
}

/** Stores the owner's address for receipts and reminders; empty text deletes it. False for an invalid address. */
export async function keepOwnerAddress(db: Db, sealer: Sealer, scope: CompanyScope, typed: string, locale: Locale): Promise<boolean> {
  if (typed.trim() === '') {
    await deleteOwnerAddress(db, scope.instanceId, scope.companyId)
    return true
  }
  const address = toMailAddress(typed)
  if (address === null) return false
  const { instanceId, companyId } = scope
  await saveOwnerAddress(db, { instanceId, companyId, address: sealer.seal(sealContextOf(scope), Buffer.from(address)), locale })
  return true
}

/**
 * Stores or deletes the address, and mails a receipt of the consent. Null for an invalid address; throws the errors of
 * `queueMail`.
 */
export async function keepAndConfirm(
  deps: Store & Vault & Mailing,
  scope: CompanyScope,
  typed: string,
  locale: Locale,
  receipt: Omit<MailFacts['agreed'], 'requester' | 'company'> | null,
): Promise<'kept' | 'mailed' | null> {
  return await inTransaction(deps.database, async (db) => {
    const { instanceId, companyId } = scope
    const action = typed.trim() === '' ? 'owner-address.removed' : 'owner-address.saved'
    const record = () => recordChange(db, { instanceId, action, subject: `company/${companyId}` })
    if (!(await keepOwnerAddress(db, deps.sealer, scope, typed, locale))) return null
    const { mail } = deps
    const owner = receipt && mail ? await readOwnerAddress(db, deps.sealer, scope) : null
    if (!receipt || !owner || !mail) {
      await record()
      return 'kept'
    }
    const names = await namesOf(db, scope)
    const facts = { ...receipt, requester: names.requester, company: names.company }
    // Anyone at the page may type any address, so limits apply to this mail.
    await queue(db, mail, names, {
      ...{ instanceId, companyId, kind: 'agreed', facts, locale },
      to: { address: owner.address },
    })
    await record()
    return 'mailed'
  })
}

async function queue<Kind extends keyof MailFacts>(
  db: Db,
  mail: MailContext,
  { branding }: MailNames,
  request: MailRequest<Kind>,
): Promise<string> {
  return await queueMail(db, mail, { ...request, branding })
}

async function namesOf(db: Db, { instanceId, companyId }: CompanyScope): Promise<MailNames> {
  const instance = await findInstance(db, instanceId)
  const company = await findCompany(db, instanceId, companyId)
  const pages = await getOwnerPages(db, instanceId)
  return {
    requester: pages.publicName || (instance?.name ?? ''),
    company: company?.name ?? '',
    branding: await findMailBranding(db, { instanceId, companyId }, pages),
  }
}

function sealContextOf({ instanceId, companyId }: CompanyScope) {
  return { instanceId, table: 'owner_addresses', rowId: companyId, column: 'address' }
}
