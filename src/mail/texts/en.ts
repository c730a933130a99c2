import type { MailFacts } from './facts.ts'

const DAYS = (days: number): string => (days === 1 ? 'tomorrow' : `in ${days} days`)

/** Mail texts in English. Every other language must have this type. */
export const en = {
  writes: (requester: string) => `${requester} writes:`,
  /** Between a label and its value. */
  colon: ':',
  address: 'If the button does not work, copy this address into your browser:',
  foot: (requester: string, contact: string) =>
    `Sent on behalf of ${requester}.${contact === '' ? '' : ` Questions or complaints: ${contact}`}`,
  alone: 'This link is for you only. Please do not forward this message.',
  unknown: (requester: string) => `If you do not know ${requester}, you can ignore this message; nothing will happen.`,
  until: (date: string) => `This link works once, until ${date}.`,
  business: 'Business',
  service: 'Connected',
  reference: 'Receipt number',
  link: {
    subject: (requester: string, service: string) => `${requester} asks you to connect ${service}`,
    lead: ({ requester, company, service }: MailFacts['link']) =>
      `${requester} is requesting access to the data of ${company} in ${service}. Open the page to see what is requested and why. Nothing is shared before you agree.`,
    button: 'See the request',
  },
  repair: {
    subject: (requester: string, service: string) => `Please renew the connection between ${service} and ${requester}`,
    lead: ({ requester, company, service }: MailFacts['repair']) =>
      `The connection to ${service} for ${company} has ended, so ${requester} no longer receives up-to-date data. Open the page and sign in again. It takes about a minute.`,
    button: 'Renew connection',
  },
  handOff: {
    subject: (company: string, service: string) => `${company} asks you to sign in to ${service}`,
    lead: ({ requester, company, service, helper }: MailFacts['handOff']) =>
      `${helper === '' ? 'Hello' : `Hello ${helper}`}. ${company} has agreed to share its data in ${service} with ${requester}. Because you have the login, it asks you to sign in. There is nothing else for you to decide, and no one sees your password.`,
    button: 'Sign in',
    unknown: (company: string) => `If this message from ${company} is not for you, ignore it; nothing will happen.`,
  },
  consentEnding: {
    subject: (requester: string, days: number) => `Your permission for ${requester} ends ${DAYS(days)}`,
    lead: ({ requester, company, service, days }: MailFacts['consentEnding'], date: string) =>
      `Your permission for ${requester} to read ${service} of ${company} ends ${DAYS(days)}, on ${date}. To let ${requester} continue, renew it on the page below.`,
    button: 'Renew permission',
    otherwise: 'If you do nothing, access ends automatically on that day.',
  },
  ownerPage: {
    subject: (requester: string) => `Your page: what you share with ${requester}`,
    lead: ({ requester, company }: MailFacts['ownerPage']) =>
      `Your page shows what ${company} shares with ${requester}. There you can pause sharing, withdraw your permission or download your data.`,
    button: 'Open my page',
  },
  agreed: {
    subject: (requester: string) => `Receipt: your permission for ${requester}`,
    lead: ({ requester }: MailFacts['agreed']) =>
      `You have given ${requester} permission to read data of your business. Keep this message as your receipt.`,
    givenOn: 'Given on',
    endsOn: 'Ends on',
    words: 'What you agreed to:',
    reminders: 'We will write to this address again before the permission ends.',
    button: 'See or withdraw it',
  },
  withdrawn: {
    subject: (requester: string) => `Receipt: you withdrew your permission for ${requester}`,
    lead: ({ requester }: MailFacts['withdrawn']) =>
      `Your permission has been withdrawn. ${requester} can no longer read the data below. Keep this message as your receipt.`,
    withdrawnOn: 'Withdrawn on',
  },
  invitation: {
    subject: (requester: string) => `Your access to the portal of ${requester}`,
    lead: ({ requester, host }: MailFacts['invitation']) =>
      `An administrator of ${requester} has given you access to its portal at ${host}. Choose a password on the page below. This also confirms this address, which you will use to sign in.`,
    button: 'Choose a password',
    once: 'This link works once and expires in three days.',
  },
  passwordReset: {
    subject: 'Set a new password',
    lead: ({ host }: MailFacts['passwordReset']) =>
      `Someone requested a new password for this address at ${host}. If it was you, set one on the page below.`,
    button: 'Set a new password',
    once: 'This link works once and expires in 30 minutes.',
    unknown: 'If it was not you, ignore this message. Your password stays the same.',
  },
  account: {
    when: 'When',
    network: 'Network',
    agent: 'Browser',
    otherProgram: 'Other program',
    administrator: 'Administrator',
    secondStep: 'Second step',
    app: 'Authenticator app',
    passkey: 'Passkey',
    button: 'Open my account',
    unknown:
      'If it was not you, set a new password immediately; this ends all other sessions. Then contact an administrator of your instance.',
    unknownAdmin: 'If no administrator intended this, disable that account on the “Members” page and set new passwords.',
    unknownAddress: 'If you did not expect this, contact an administrator of your instance immediately.',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    lead: ({ host }: { host: string }) => `The password of your account at ${host} was changed.`,
  },
  twoStepDisabled: {
    subject: 'Two-step sign-in was turned off',
    lead: ({ host }: { host: string }) =>
      `Two-step sign-in was turned off for your account at ${host}. From now on, the password alone is enough to sign in.`,
  },
  secondStepAdded: {
    subject: 'A second step was added',
    lead: ({ host }: { host: string }) => `A second step for signing in was added to your account at ${host}.`,
  },
  secondStepRemoved: {
    subject: 'A second step was removed',
    lead: ({ host }: { host: string }) => `A second step for signing in was removed from your account at ${host}.`,
  },
  twoStepReset: {
    subject: 'Two-step sign-in was reset',
    lead: ({ host }: { host: string }) =>
      `An administrator has removed the second step of your account at ${host}, and all its sessions have ended. Sign in with your password and set up a new one.`,
  },
  twoStepRequired: {
    subject: 'Two-step sign-in is now required',
    lead: ({ host }: { host: string }) =>
      `Your instance at ${host} now requires two-step sign-in. The next time you sign in, you will be asked to set it up.`,
  },
  newNetwork: {
    subject: 'Sign-in from a new network',
    lead: ({ host }: { host: string }) => `Someone signed in to your account at ${host} from a network not used before.`,
  },
  addressChanged: {
    subject: 'Your e-mail address was changed',
    lead: ({ host }: { host: string }) =>
      `Your organization’s identity provider has changed the e-mail address of your account at ${host}. This address no longer belongs to the account, and links that were sent to it no longer work.`,
  },
  newAdministrator: {
    subject: 'New administrator',
    lead: ({ host }: { host: string }) => `Your instance at ${host} has a new administrator with full access.`,
  },
}

export type MailTexts = typeof en
