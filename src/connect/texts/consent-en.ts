import { english } from '../../model/texts/plural.ts'
/** Consent texts: shown to the owner and stored in the ledger. */
export const consentEn = {
  consent: {
    title: (requester: string, service: string) => `${requester} asks to read your data in ${service}`,
    titleBank: (requester: string) => `${requester} asks to read your bank accounts`,
    titleUpload: (requester: string) => `${requester} asks for your bank statements`,
    business: 'Business',
    through: 'Through',
    what: 'What is read',
    accountingAccounts: 'Chart of accounts: numbers, names, types',
    accountingTransactions: 'Journal entries',
    bankingAccounts: 'Accounts: name, type, balance, last four digits of the number',
    bankingTransactions: 'Transactions: date, amount, description',
    why: 'Why',
    purpose: (requester: string, company: string) => `${requester} needs it for the service that ${company} asked for.`,
    howLong: 'For how long',
    readUntil: (minutes: number, until: string) => `${howOften(minutes)}, until ${until} or until you withdraw your permission.`,
    onlyFiles: 'Only the files that you choose on the next page. Nothing is fetched from your bank.',
    filesUntil: (until: string) => `They are used until ${until} or until you withdraw your permission.`,
    control: 'Your control',
    readOnly: 'We only read. Nobody can move money or change your books this way.',
    withdraw: (requester: string) =>
      `You can withdraw at any time: on the page of your own that you get at the end, or by writing to ${requester}.`,
    withdrawAtSource: (requester: string, service: string) =>
      `You can withdraw at any time: on the page of your own that you get at the end, by writing to ${requester}, or by removing the access in ${service}.`,
    contact: 'Questions',
    contactLine: (requester: string, address: string) => `${requester}: ${address}`,
    renewal: (entity: string) => `${entity} is connected already. This renews its access, so choose ${entity} again.`,
    changed: 'This page has changed since you opened it. Please read it again before you agree.',
    agree: 'Agree and continue',
    decline: 'Decline',
    backTo: (requester: string) => `Back to ${requester}`,
  },
}

function howOften(minutes: number): string {
  if (minutes === 0) return 'Read only when it is requested'
  const [hours, days] = [minutes / 60, minutes / 1_440]
  if (days === 1) return 'Read about once a day at present'
  if (Number.isInteger(days)) return `Read about every ${days} days at present`
  if (Number.isInteger(hours)) return `Read every ${english.form(hours, 'hour', `${hours} hours`)} at present`
  return `Read every ${minutes} minutes at present`
}
