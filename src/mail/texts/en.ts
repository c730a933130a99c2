import type { MailFacts } from '../facts.ts'

const DAYS = (days: number): string => (days === 1 ? 'tomorrow' : `in ${days} days`)

/** What mails say, in English. Its type is what every other language must fill. */
export const en = {
  writes: (asker: string) => `${asker} writes:`,
  /** Between a name and what it is of. */
  colon: ':',
  address: 'If the button does not work, copy this address into your browser:',
  foot: (asker: string, contact: string) => `Sent on behalf of ${asker}.${contact === '' ? '' : ` Questions or complaints: ${contact}`}`,
  alone: 'The link is meant for you alone: please do not pass this message on.',
  unknown: (asker: string) => `If you do not know ${asker}, you can ignore this message. Nothing happens then.`,
  until: (date: string) => `The link works once, until ${date}.`,
  business: 'Business',
  service: 'Connected',
  reference: 'Receipt number',
  link: {
    subject: (asker: string, service: string) => `${asker} asks you to connect ${service}`,
    lead: ({ asker, company, service }: MailFacts['link']) =>
      `${asker} asks for access to the data of ${company} in ${service}. Open the page to see what is asked for and why. Nothing is shared before you agree there.`,
    button: 'See what is asked for',
  },
  repair: {
    subject: (asker: string, service: string) => `Please renew the connection of ${service} with ${asker}`,
    lead: ({ asker, company, service }: MailFacts['repair']) =>
      `The connection to ${service} for ${company} has ended, so ${asker} no longer receives up-to-date data. Open the page and sign in once more; it takes about a minute.`,
    button: 'Renew the connection',
  },
  handOff: {
    subject: (company: string, service: string) => `${company} asks you to sign in to ${service}`,
    lead: ({ asker, company, service, helper }: MailFacts['handOff']) =>
      `${helper === '' ? 'Hello' : `Hello ${helper}`}. ${company} has agreed to share its data in ${service} with ${asker}, and asks you, who have the login, to sign in. You need not decide anything else, and nobody sees your password.`,
    button: 'Open the sign-in',
    unknown: (company: string) => `If ${company} does not mean you, ignore this message. Nothing happens then.`,
  },
  consentEnding: {
    subject: (asker: string, days: number) => `Your permission for ${asker} ends ${DAYS(days)}`,
    lead: ({ asker, company, service, days }: MailFacts['consentEnding'], date: string) =>
      `Your permission for ${asker} to read ${service} of ${company} ends ${DAYS(days)}, on ${date}. To let ${asker} go on, renew it on the page below.`,
    button: 'Renew the permission',
    otherwise: 'If you do nothing, reading stops by itself on that day.',
  },
  ownerPage: {
    subject: (asker: string) => `Your page: what you share with ${asker}`,
    lead: ({ asker, company }: MailFacts['ownerPage']) =>
      `On your own page you see what ${company} shares with ${asker}, and can pause it, withdraw your permission or download your data.`,
    button: 'Open my page',
  },
  agreed: {
    subject: (asker: string) => `Receipt: your permission for ${asker}`,
    lead: ({ asker }: MailFacts['agreed']) =>
      `You have given ${asker} permission to read data of your business. Keep this message as your receipt.`,
    givenOn: 'Given on',
    endsOn: 'Ends on',
    words: 'What you agreed to:',
    reminders: 'We write to this address again before the permission ends.',
    button: 'See or withdraw it',
  },
  withdrawn: {
    subject: (asker: string) => `Receipt: you withdrew your permission for ${asker}`,
    lead: ({ asker }: MailFacts['withdrawn']) =>
      `Your permission has been withdrawn. ${asker} can no longer read the data below. Keep this message as your receipt.`,
    withdrawnOn: 'Withdrawn on',
  },
  invitation: {
    subject: (asker: string) => `Your access to the portal of ${asker}`,
    lead: ({ asker, host }: MailFacts['invitation']) =>
      `An administrator of ${asker} has given you access to its portal at ${host}. Choose a password on the page below: that also confirms this address, with which you sign in.`,
    button: 'Choose a password',
    once: 'The link works once, for three days.',
  },
  passwordReset: {
    subject: 'Set a new password',
    lead: ({ host }: MailFacts['passwordReset']) =>
      `Somebody asked for a new password for this address at ${host}. If it was you, set one on the page below.`,
    button: 'Set a new password',
    once: 'The link works once, for half an hour.',
    unknown: 'If it was not you, ignore this message. Your password stays as it is.',
  },
}

export type MailTexts = typeof en
