import { randomUUID } from 'node:crypto'
import { maskMailAddress, toMailAddress } from '../model/values/mail-address.ts'
import { shownName } from '../model/values/names.ts'
import type { Locale } from '../model/values/text.ts'
import type { Db } from '../store/db/database.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import { insertMail, type MailLimits, secondsUntilAllowed } from '../store/mail/mails.ts'
import type { MailFacts, MailKind } from './facts.ts'
import { writeLetter } from './letters.ts'
import { type MailFace, PLAIN_FACE, renderHtml, renderText } from './render.ts'

/** What queueing a mail takes; there is none where no mail server is set. */
export interface MailDesk {
  sealer: Pick<Sealer, 'seal'>
  /** Keyed hash under which addresses are counted. */
  hashToken(token: string): Uint8Array
}

/** No mail server is set, so nothing was queued. */
export class NoMailServer extends Error {
  override readonly name = 'NoMailServer'

  constructor() {
    super('no mail server is set')
  }
}

/** The address is none that mail can be sent to; nothing was queued. */
export class BadMailAddress extends Error {
  override readonly name = 'BadMailAddress'

  constructor() {
    super('not an e-mail address')
  }
}

/** Too many mails within an hour; nothing was queued. */
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
  /** Whoever answers writes to this address. */
  replyTo?: string
  /** As the instance shows itself to owners; without pictures, colours and days of its own where left out. */
  face?: MailFace
  /** Owed to the recipient (a receipt, a reminder): counted, never refused for there being too many. */
  isOwed?: boolean
}

/** What is sealed of a mail. */
export interface MailContent {
  to: { address: string; name: string }
  fromName: string
  replyTo: string | null
  subject: string
  text: string
  html: string
  /** Shown in the page by its name; mails that were queued before there were any have none. */
  logo?: { type: string; base64: string } | null
}

/** A person's patience, a link in the wrong hands and a stolen login are what these are for; nobody who works comes near. */
const LIMITS: MailLimits = { perRecipient: 5, perCompany: 20, perInstance: 200 }
export const LONGEST_NOTE = 500

/**
 * Queues a mail in the caller's transaction and gives its id: it is sent if, and only if, that commits. Throws `NoMailServer`,
 * `BadMailAddress`, `TooManyMails`.
 */
export async function queueMail<Kind extends MailKind>(db: Db, desk: MailDesk | undefined, request: MailRequest<Kind>): Promise<string> {
  if (!desk) throw new NoMailServer()
  const { instanceId, kind, facts, locale, companyId } = request
  const address = toMailAddress(request.to.address)
  if (address === null) throw new BadMailAddress()
  const recipientHash = desk.hashToken(`mail/${address.toLowerCase()}`)
  if (!request.isOwed) {
    const seconds = await secondsUntilAllowed(db, { instanceId, recipientHash, companyId }, LIMITS)
    if (seconds > 0) throw new TooManyMails(seconds)
  }
  const { face = PLAIN_FACE } = request
  const letter = writeLetter(kind, facts, { locale, zone: face.zone })
  const content: MailContent = {
    to: { address, name: shownName(request.to.name ?? '') },
    fromName: letter.asker,
    replyTo: toMailAddress(request.replyTo ?? face.contact),
    subject: letter.subject,
    text: renderText(letter, face),
    html: renderHtml(letter, locale, face),
    logo: face.logo && { type: face.logo.type, base64: Buffer.from(face.logo.bytes).toString('base64') },
  }
  const id = randomUUID()
  const sealed = desk.sealer.seal({ instanceId, table: 'mails', rowId: id, column: 'sealed' }, Buffer.from(JSON.stringify(content)))
  await insertMail(db, { instanceId, id, kind, companyId, recipientHash, recipientShown: maskMailAddress(address), sealed })
  return id
}

/** A note as it may stand in a mail: plain lines, without characters that hide or reorder text. */
export function toNote(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
