import { BadMailAddress, queueMail } from '../../../mail/queue.ts'
import type { AccountNotice, AccountNotices, MailFacts } from '../../../mail/texts/facts.ts'
import { findNoticeRecipient, listAdminRecipients, type NoticeRecipient } from '../../../store/access/notice-recipients.ts'
import type { User } from '../../../store/access/users.ts'
import type { Db } from '../../../store/db/database.ts'
import type { Access } from '../access.ts'

/** What mails to users need. */
type NoticeAccess = Pick<Access, 'mail' | 'now' | 'settings' | 'log'>

/** Kinds of mail that tell users what has happened to an account. */
type NoticeKind = keyof AccountNotices
/** Completes what all notices say. */
type FactsOf<Kind extends NoticeKind> = (shared: AccountNotice) => MailFacts[Kind]

/** Maximum number of admins notified of a new one. */
const MAX_ADMINS = 50

/** Mails a user what has happened to the own account, in the transaction in which it does; nothing without a mail server. */
export async function notifyUser<Kind extends NoticeKind>(
  access: NoticeAccess,
  db: Db,
  { instanceId, id }: Pick<User, 'instanceId' | 'id'>,
  kind: Kind,
  factsOf: FactsOf<Kind>,
): Promise<void> {
  const recipient = access.mail && (await findNoticeRecipient(db, instanceId, id))
  if (recipient) await send(access, db, recipient, kind, factsOf)
}

/** Notifies the other admins of an instance of a new one. */
export async function notifyOfAdmin(
  access: NoticeAccess,
  db: Db,
  { instanceId, id, email }: Pick<User, 'instanceId' | 'id' | 'email'>,
): Promise<void> {
  if (!access.mail) return
  for (const recipient of await listAdminRecipients(db, instanceId, id, MAX_ADMINS))
    await send(access, db, recipient, 'newAdministrator', (shared) => ({ ...shared, administrator: email }))
}

/** Owed to the recipient, so that no limit holds it back. An address that takes no mail must not stop the change. */
async function send<Kind extends NoticeKind>(
  access: NoticeAccess,
  db: Db,
  { instanceId, email, name, language }: NoticeRecipient,
  kind: Kind,
  factsOf: FactsOf<Kind>,
): Promise<void> {
  const { issuer } = access.settings
  const facts = factsOf({ requester: 'Countinghouse', host: new URL(issuer).host, address: `${issuer}/portal/account`, at: access.now() })
  const to = { address: email, name }
  await queueMail(db, access.mail, {
    ...{ instanceId, kind, facts, locale: language ?? 'en', to, companyId: null, isExemptFromLimits: true },
  }).catch((error: unknown) => {
    if (!(error instanceof BadMailAddress)) throw error
    access.log.warn({ instanceId, kind }, 'the address of a user takes no mail')
  })
}
