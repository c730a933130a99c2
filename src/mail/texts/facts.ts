/** Facts of each kind of mail; names are as others chose them. */
export interface MailFacts extends AccountNotices {
  /** Link from a developer to an owner. */
  link: LinkFacts
  /** Link for a connection that needs the owner again. */
  repair: LinkFacts
  /** Hand-off: an owner delegates the login at the source to a helper. */
  handOff: Names & { address: string; expiresAt: Date; helper: string }
  consentEnding: Names & { address: string; endsAt: Date; days: number }
  /** The owner asked for the address of their own page. */
  ownerPage: { requester: string; company: string; address: string }
  /**
   * Receipt of a consent; `page` is the owner's own page, if any; `statements` are what was agreed to, in the language
   * of the mail.
   */
  agreed: Names & { givenAt: Date; endsAt: Date; page: string | null; reference: string; statements: readonly string[] }
  /** Receipt of a withdrawal. */
  withdrawn: Names & { withdrawnAt: Date; reference: string }
  /** Invitation to become a user of an instance. `host` is the host of the portal. */
  invitation: { requester: string; host: string; address: string }
  /** `host` is the host of the portal. */
  passwordReset: { requester: string; host: string; address: string }
}

/** Notices about the recipient's own account. */
export interface AccountNotices {
  passwordChanged: AccountNotice
  twoStepDisabled: AccountNotice
  /** `name` is that of a passkey; null: the authenticator app. */
  secondStepAdded: AccountNotice & { name: string | null }
  secondStepRemoved: AccountNotice & { name: string | null }
  /** An administrator or the operator has taken the second step from the account. */
  twoStepReset: AccountNotice
  /** The instance requires a second step from now on. */
  twoStepRequired: AccountNotice
  /** A login from a network that was not known; `agent` is empty for a program that is no known browser. */
  newNetwork: AccountNotice & { network: string; agent: string }
  /** To the address before, when an identity provider has changed it. */
  addressChanged: AccountNotice
  /** To the other administrators; `administrator` is the address of the new one. */
  newAdministrator: AccountNotice & { administrator: string }
}

export type MailKind = keyof MailFacts

/** `host` is the host of the portal, `address` its page of the own account. */
export interface AccountNotice {
  requester: string
  host: string
  address: string
  at: Date
}

/** Names of the instance, the business, and the connected service or source. */
interface Names {
  requester: string
  company: string
  service: string
}

type LinkFacts = Names & {
  address: string
  expiresAt: Date
  /** Note of the developer, as plain text; empty for none. */
  note: string
}
