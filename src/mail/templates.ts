import { localizeSourceName } from '../model/texts/source-names.ts'
import { type Calendar, writeDay, writeMoment } from '../model/values/dates.ts'
import { safeDisplayName } from '../model/values/display-names.ts'
import type { Locale } from '../model/values/text.ts'
import { en, type MailTexts } from './texts/en.ts'
import type { AccountNotices, MailFacts, MailKind } from './texts/facts.ts'
import { frCa } from './texts/fr-ca.ts'

/** Part of a mail; rendered as plain text and as HTML. */
export type MailBlock =
  | { say: string }
  | { button: string; address: string }
  | { quote: string }
  | { table: readonly (readonly [string, string])[] }
  | { small: string }

export interface MailMessage {
  subject: string
  /** Name of the sender shown to the recipient. */
  requester: string
  parts: readonly MailBlock[]
  texts: MailTexts
}

/** Date formatting; `moment` includes time of day and zone. */
interface Dates {
  day(at: Date): string
  moment(at: Date): string
}

type Template<Kind extends MailKind> = (texts: MailTexts, facts: MailFacts[Kind], write: Dates) => Omit<MailMessage, 'texts' | 'requester'>

/**
 * Mail programs turn it into a link: not a person's name, but a way to make us recommend an address to a third party.
 */
const LINKED = /[/@:]|\.\p{L}{2}/u

const TEXTS: Record<Locale, MailTexts> = { en, 'fr-CA': frCa }

const TEMPLATES: { [Kind in MailKind]: Template<Kind> } = {
  link: (texts, facts, write) => linkTemplate(texts, 'link', facts, write),
  repair: (texts, facts, write) => linkTemplate(texts, 'repair', facts, write),
  handOff: (texts, facts, write) => ({
    subject: texts.handOff.subject(facts.company, facts.service),
    parts: [
      { say: texts.handOff.lead({ ...facts, helper: LINKED.test(facts.helper) ? '' : facts.helper }) },
      { button: texts.handOff.button, address: facts.address },
      { small: `${texts.until(write.day(facts.expiresAt))} ${texts.alone} ${texts.handOff.unknown(facts.company)}` },
    ],
  }),
  consentEnding: (texts, facts, write) => ({
    subject: texts.consentEnding.subject(facts.requester, facts.days),
    parts: [
      { say: texts.consentEnding.lead(facts, write.day(facts.endsAt)) },
      { button: texts.consentEnding.button, address: facts.address },
      { small: `${texts.consentEnding.otherwise} ${texts.alone}` },
    ],
  }),
  ownerPage: (texts, facts) => ({
    subject: texts.ownerPage.subject(facts.requester),
    parts: [{ say: texts.ownerPage.lead(facts) }, { button: texts.ownerPage.button, address: facts.address }, { small: texts.alone }],
  }),
  agreed: (texts, facts, write) => ({
    subject: texts.agreed.subject(facts.requester),
    parts: [
      { say: texts.agreed.lead(facts) },
      {
        table: [
          [texts.business, facts.company],
          [texts.service, facts.service],
          [texts.agreed.givenOn, write.moment(facts.givenAt)],
          [texts.agreed.endsOn, write.day(facts.endsAt)],
          [texts.reference, facts.reference],
        ],
      },
      { say: texts.agreed.words },
      { quote: facts.statements.join('\n') },
      ...(facts.page === null ? [] : [{ button: texts.agreed.button, address: facts.page }]),
      { small: texts.agreed.reminders },
    ],
  }),
  withdrawn: (texts, facts, write) => ({
    subject: texts.withdrawn.subject(facts.requester),
    parts: [
      { say: texts.withdrawn.lead(facts) },
      {
        table: [
          [texts.business, facts.company],
          [texts.service, facts.service],
          [texts.withdrawn.withdrawnOn, write.moment(facts.withdrawnAt)],
          [texts.reference, facts.reference],
        ],
      },
    ],
  }),
  invitation: (texts, facts) => ({
    subject: texts.invitation.subject(facts.requester),
    parts: [
      { say: texts.invitation.lead(facts) },
      { button: texts.invitation.button, address: facts.address },
      { small: `${texts.invitation.once} ${texts.alone} ${texts.unknown(facts.requester)}` },
    ],
  }),
  passwordReset: (texts, facts) => ({
    subject: texts.passwordReset.subject,
    parts: [
      { say: texts.passwordReset.lead(facts) },
      { button: texts.passwordReset.button, address: facts.address },
      { small: `${texts.passwordReset.once} ${texts.passwordReset.unknown}` },
    ],
  }),
  passwordChanged: (texts, facts, write) => noticeTemplate(texts, 'passwordChanged', facts, [[texts.account.when, write.moment(facts.at)]]),
  twoStepDisabled: (texts, facts, write) => noticeTemplate(texts, 'twoStepDisabled', facts, [[texts.account.when, write.moment(facts.at)]]),
  secondStepAdded: (texts, facts, write) => noticeTemplate(texts, 'secondStepAdded', facts, secondStepTable(texts, facts, write)),
  secondStepRemoved: (texts, facts, write) => noticeTemplate(texts, 'secondStepRemoved', facts, secondStepTable(texts, facts, write)),
  twoStepReset: (texts, facts, write) => noticeTemplate(texts, 'twoStepReset', facts, [[texts.account.when, write.moment(facts.at)]]),
  twoStepRequired: (texts, facts) => noticeTemplate(texts, 'twoStepRequired', facts, []),
  newNetwork: (texts, facts, write) =>
    noticeTemplate(texts, 'newNetwork', facts, [
      [texts.account.when, write.moment(facts.at)],
      [texts.account.network, facts.network],
      [texts.account.agent, facts.agent || texts.account.otherProgram],
    ]),
  addressChanged: (texts, facts, write) => noticeTemplate(texts, 'addressChanged', facts, [[texts.account.when, write.moment(facts.at)]]),
  newAdministrator: (texts, facts, write) =>
    noticeTemplate(texts, 'newAdministrator', facts, [
      [texts.account.when, write.moment(facts.at)],
      [texts.account.administrator, facts.administrator],
    ]),
}

/** Names of all kinds of mail. */
export const MAIL_KINDS: readonly string[] = Object.keys(TEMPLATES)

export function composeMail<Kind extends MailKind>(kind: Kind, facts: MailFacts[Kind], calendar: Calendar): MailMessage {
  const texts = TEXTS[calendar.locale]
  const shown = fitForSentences(facts, calendar.locale)
  return {
    ...TEMPLATES[kind](texts, shown, { day: (at) => writeDay(at, calendar), moment: (at) => writeMoment(at, calendar) }),
    requester: shown.requester,
    texts,
  }
}

/** Sanitizes names chosen by others for use in a sentence; that of a source is in the language of the mail. */
function fitForSentences<Facts extends MailFacts[MailKind]>(facts: Facts, locale: Calendar['locale']): Facts {
  const names = ['requester', 'company', 'service', 'helper'].filter((name) => Object.hasOwn(facts, name))
  const values: Record<string, unknown> = { ...facts }
  return { ...facts, ...Object.fromEntries(names.map((name) => [name, safeDisplayName(localizeSourceName(String(values[name]), locale))])) }
}

function linkTemplate(
  texts: MailTexts,
  kind: 'link' | 'repair',
  facts: MailFacts['link'],
  write: Dates,
): Omit<MailMessage, 'texts' | 'requester'> {
  const words = texts[kind]
  return {
    subject: words.subject(facts.requester, facts.service),
    parts: [
      { say: words.lead(facts) },
      ...(facts.note === '' ? [] : [{ say: texts.writes(facts.requester) }, { quote: facts.note }]),
      { button: words.button, address: facts.address },
      { small: `${texts.until(write.day(facts.expiresAt))} ${texts.alone} ${texts.unknown(facts.requester)}` },
    ],
  }
}

function secondStepTable(
  { account }: MailTexts,
  { at, name }: MailFacts['secondStepAdded'],
  write: Dates,
): readonly (readonly [string, string])[] {
  return [
    [account.when, write.moment(at)],
    [name === null ? account.secondStep : account.passkey, name ?? account.app],
  ]
}

function noticeTemplate<Kind extends keyof AccountNotices>(
  texts: MailTexts,
  kind: Kind,
  facts: MailFacts[Kind],
  table: readonly (readonly [string, string])[],
): Omit<MailMessage, 'texts' | 'requester'> {
  const { account } = texts
  return {
    subject: texts[kind].subject,
    parts: [
      { say: texts[kind].lead(facts) },
      ...(table.length === 0 ? [] : [{ table }]),
      { button: account.button, address: facts.address },
      ...(kind === 'twoStepRequired' ? [] : [{ small: unknownOf(account, kind) }]),
    ],
  }
}

/** What to do about a notice of something that the recipient did not mean to happen. */
function unknownOf(account: MailTexts['account'], kind: keyof AccountNotices): string {
  if (kind === 'newAdministrator') return account.unknownAdmin
  return kind === 'addressChanged' ? account.unknownAddress : account.unknown
}
