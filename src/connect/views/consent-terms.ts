import { createHash } from 'node:crypto'
import { type Calendar, writeDay } from '../../model/values/dates.ts'
import { safeDisplayName, safeFullName } from '../../model/values/display-names.ts'
import type { Locale } from '../../model/values/text.ts'
import type { ConsentTexts } from '../../store/connections/consents.ts'
import { expiryOf } from '../../sync/authorize/consent.ts'
import type { OpenLink } from '../../sync/links/link.ts'
import { TEXTS } from '../texts/locale.ts'
import { linkNames } from '../visit/visitor.ts'

/** Consent terms in one language. */
export interface Terms {
  title: string
  /** Existing connection renewed by it. */
  renewal: string | null
  rows: readonly { name: string; statements: readonly string[] }[]
  /** Contact for the owner. */
  contact: { name: string; address: string } | null
}

/** Who asks, for whom, what is read, why, how long, and how it ends. `renews` is the existing connection. */
export function termsOf(open: OpenLink, calendar: Calendar, renews: string | null, givenAt: Date): Terms {
  const { locale } = calendar
  const texts = TEXTS[locale].consent
  const names = linkNames(open, locale)
  const { description } = open.service.source
  const until = writeDay(expiryOf(open, givenAt), calendar)
  const isUpload = description.link === 'upload'
  const isRedirect = description.link === 'redirect'
  const howLong = isUpload ? [texts.onlyFiles, texts.filesUntil(until)] : [texts.readUntil(open.refreshMinutes, until)]
  const { contact } = open.pages
  return {
    title: titleOf(open, locale),
    renewal: renews === null ? null : texts.renewal(safeDisplayName(renews)),
    rows: [
      { name: texts.business, statements: [names.company] },
      ...(description.hasInstitutions ? [{ name: texts.through, statements: [names.source] }] : []),
      { name: texts.what, statements: readThings(open, locale) },
      { name: texts.why, statements: [purposeOf(open, locale)] },
      { name: texts.howLong, statements: howLong },
      {
        name: texts.control,
        statements: [texts.readOnly, isRedirect ? texts.withdrawAtSource(names.requester, names.source) : texts.withdraw(names.requester)],
      },
    ],
    contact: contact === '' ? null : { name: texts.contact, address: contact },
  }
}

/**
 * The terms in both languages, as stored in the ledger, with their hash: the page's form returns it, so that the owner
 * agrees to exactly what was shown.
 */
export function toConsentTexts(open: OpenLink, zone: string, renews: string | null, givenAt: Date): { texts: ConsentTexts; hash: Buffer } {
  const flattenIn = (locale: Locale) => flatten(open, { locale, zone }, renews, givenAt)
  const texts = { en: flattenIn('en'), 'fr-CA': flattenIn('fr-CA') }
  return { texts, hash: createHash('sha256').update(JSON.stringify(texts)).digest() }
}

function flatten(open: OpenLink, calendar: Calendar, renews: string | null, givenAt: Date): string[] {
  const { title, renewal, rows, contact } = termsOf(open, calendar, renews, givenAt)
  const { contactLine } = TEXTS[calendar.locale].consent
  return [
    title,
    ...(renewal === null ? [] : [renewal]),
    ...rows.flatMap(({ name, statements }) => statements.map((statement) => contactLine(name, statement))),
    ...(contact === null ? [] : [contactLine(contact.name, contact.address)]),
  ]
}

function titleOf(open: OpenLink, locale: Locale): string {
  const texts = TEXTS[locale].consent
  const { requester, service } = linkNames(open, locale)
  const { source, institutionId } = open.service
  if (source.description.link === 'upload') return texts.titleUpload(requester)
  return source.description.hasInstitutions === true && institutionId === null
    ? texts.titleBank(requester)
    : texts.title(requester, service)
}

function purposeOf(open: OpenLink, locale: Locale): string {
  const { requester, company } = linkNames(open, locale)
  return open.purpose.texts === null ? TEXTS[locale].consent.purpose(requester, company) : safeFullName(open.purpose.texts[locale])
}

function readThings(open: OpenLink, locale: Locale): string[] {
  const texts = TEXTS[locale].consent
  const { category, supportedEntities } = open.service
  const things =
    category === 'Accounting'
      ? { Accounts: texts.accountingAccounts, Transactions: texts.accountingTransactions }
      : { Accounts: texts.bankingAccounts, Transactions: texts.bankingTransactions }
  return supportedEntities.map((entity) => things[entity])
}
