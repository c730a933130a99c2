/** What each kind of mail tells; names are as others chose them. */
export interface MailFacts {
  /** A developer sends an owner a link. */
  link: LinkFacts
  /** The same where the connection needs the owner again. */
  repair: LinkFacts
  /** An owner passes the source's own step on to whoever has the login. */
  handOff: Names & { address: string; expiresAt: Date; helper: string }
  consentEnding: Names & { address: string; endsAt: Date; days: number }
  /** The owner asked for the address of the own page. */
  ownerPage: { requester: string; company: string; address: string }
  /** Receipt of a permission; `page` is the owner's own, where there is one; `statements` are what was agreed to, in the language of the mail. */
  agreed: Names & { givenAt: Date; endsAt: Date; page: string | null; reference: string; statements: readonly string[] }
  /** Receipt of a withdrawal. */
  withdrawn: Names & { withdrawnAt: Date; reference: string }
  /** To join those who may sign in to an instance. `host` is where the portal is. */
  invitation: { requester: string; host: string; address: string }
  /** `host` is where the portal is. */
  passwordReset: { requester: string; host: string; address: string }
}

export type MailKind = keyof MailFacts

/** The instance, the business, and what is connected or the source. */
interface Names {
  requester: string
  company: string
  service: string
}

type LinkFacts = Names & {
  address: string
  expiresAt: Date
  /** Of the developer, in plain words; empty for none. */
  note: string
}
