import { randomUUID } from 'node:crypto'
import { safeDisplayName } from '../model/values/display-names.ts'
import { maskMailAddress, toMailAddress } from '../model/values/mail-address.ts'
import type { Locale } from '../model/values/text.ts'
import type { Db } from '../store/db/database.ts'
import { sealJson } from '../store/keys/sealed-json.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import { insertMail, type MailLimits, secondsUntilAllowed } from '../store/mail/mails.ts'
import { DEFAULT_BRANDING, type MailBranding, renderHtml, renderText } from './render.ts'
import { composeMail } from './templates.ts'
import type { MailFacts, MailKind } from './texts/facts.ts'

/** Dependencies for queueing mails; absent when no mail server is configured. */
export interface MailContext {
  sealer: Pick<Sealer, 'seal'>
  /** Keyed hash under which recipients are counted. */
  hashToken(token: string): Uint8Array
}

/** Thrown when no mail server is configured; nothing was queued. */
export class NoMailServer extends Error {
  override readonly name = 'NoMailServer'

  constructor() {
    super('no mail server is set')
  }
}

/** Thrown for an address that cannot receive mail; nothing was queued. */
export class BadMailAddress extends Error {
  override readonly name = 'BadMailAddress'

  constructor() {
    super('not an e-mail address')
  }
}

/** Thrown when the hourly limit is reached; nothing was queued. */
export class TooManyMails extends Error {
  override readonly name = 'TooManyMails'
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super('too many mails within an hour')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface MailRequest<Kind extends MailKind> {
  instanceId: string
  kind: Kind
  facts: MailFacts[Kind]
  locale: Locale
  to: { address: string; name?: string }
  /** Null for mails to users. */
  companyId: string | null
  /** Reply-To address. */
  replyTo?: string
  /** Branding of the instance; where absent, no logo, default colours and time zone. */
  branding?: MailBranding
  /** Mail owed to the recipient (a receipt, a reminder): counted, but never rejected by limits. */
  isExemptFromLimits?: boolean
}

/** Sealed part of a mail. */
export interface MailContent {
  to: { address: string; name: string }
  fromName: string
  replyTo: string | null
  subject: string
  text: string
  html: string
  /** Inlined by its name; absent in mails queued before logos existed. */
  logo?: { type: string; base64: string } | null
}

/** Against nuisance, leaked links and stolen logins; normal use stays far below. */
const LIMITS: MailLimits = { perRecipient: 5, perCompany: 20, perInstance: 200 }
export const MAX_NOTE = 500

/**
 * Queues a mail in the caller's transaction and returns its id: it is sent if, and only if, that commits. Throws
 * `NoMailServer`, `BadMailAddress`, `TooManyMails`.
 */
export async function queueMail<Kind extends MailKind>(
  db: Db,
  context: MailContext | undefined,
  request: MailRequest<Kind>,
): Promise<string> {
  if (!context) throw new NoMailServer()
  const { instanceId, kind, facts, locale, companyId } = request
  const address = toMailAddress(request.to.address)
  if (address === null) throw new BadMailAddress()
  const recipientHash = context.hashToken(`mail/${address.toLowerCase()}`)
  if (!request.isExemptFromLimits) {
    const seconds = await secondsUntilAllowed(db, { instanceId, recipientHash, companyId }, LIMITS)
    if (seconds > 0) throw new TooManyMails(seconds)
  }
  const { branding = DEFAULT_BRANDING } = request
  const message = composeMail(kind, facts, { locale, zone: branding.zone })
  const content: MailContent = {
    to: { address, name: safeDisplayName(request.to.name ?? '') },
    fromName: message.requester,
    replyTo: toMailAddress(request.replyTo ?? branding.contact),
    subject: message.subject,
    text: renderText(message, branding),
    html: renderHtml(message, locale, branding),
    logo: branding.logo && { type: branding.logo.type, base64: Buffer.from(branding.logo.bytes).toString('base64') },
  }
  const id = randomUUID()
  const sealed = sealJson(context.sealer, mailContext(instanceId, id), content)
  await insertMail(db, { instanceId, id, kind, companyId, recipientHash, recipientShown: maskMailAddress(address), sealed })
  return id
}

/** Seal context of a mail's content. */
export function mailContext(instanceId: string, id: string) {
  return { instanceId, table: 'mails', rowId: id, column: 'sealed' }
}

/** Sanitizes a note for a mail: plain lines, without characters that hide or reorder text. */
export function toNote(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
