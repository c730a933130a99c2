import { type Html, html } from '../../model/texts/html.ts'
import { nameZone, UTC, writeDay, writeMoment } from '../../model/values/dates.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { Locale } from '../../model/values/text.ts'
import type { Receipt } from '../../store/owners/receipts.ts'
import type { ReceiptDocument } from '../owner/receipts.ts'
import { otherLocale, TEXTS } from '../texts/locale.ts'
import type { Localization } from '../visit/visitor.ts'
import { OWNER_PAGE_PATH } from './owner-page.ts'
import { heading, type Page } from './page.ts'

const VERIFY = '/connect/receipts/verify'

/** Receipt in the owner's language, and below it its content in the other one. */
export function receiptPage(visitor: Localization, receipt: Receipt, document: ReceiptDocument): Page {
  const texts = visitor.texts.receipt
  const other = otherLocale(visitor.locale)
  const file = (name: string, text: string) =>
    html`<a class="button quiet" href="${OWNER_PAGE_PATH}/receipt/${name}?receipt=${receipt.id}" download>${text}</a>`
  return {
    title: texts.titles[receipt.kind],
    address: `${OWNER_PAGE_PATH}/receipt?receipt=${receipt.id}`,
    body: html`<p class="tick" aria-hidden="true"></p>
${heading(texts.titles[receipt.kind])}
${document.statement[visitor.locale].map((line) => html`<p>${line}</p>`)}
${renderDocument(visitor.locale, document)}
<div lang="${other}"><h2>${TEXTS[other].receipt.names[receipt.kind]}</h2>${document.statement[other].map((line) => html`<p>${line}</p>`)}</div>
<p class="small">${texts.keep}</p>
<p class="actions">${file('receipt.txt', texts.asText)}${file('receipt.json', texts.asJson)}</p>
<p class="small">${texts.proof} <a href="${VERIFY}">${texts.verify}</a></p>
<details><summary>${visitor.texts.verify.label}</summary><p class="signature"><code>${receipt.signed}</code></p></details>
<p class="actions"><a class="button quiet" href="${OWNER_PAGE_PATH}">${visitor.texts.yours.back}</a></p>`,
  }
}

/** `found` is null before a check, and `wrong` for an invalid receipt. */
export function verifyPage(visitor: Localization, typed: string, found: ReceiptDocument | 'wrong' | null): Page {
  const texts = visitor.texts.verify
  const title = found === null ? texts.title : found === 'wrong' ? texts.wrong : texts.genuine
  return {
    title,
    address: VERIFY,
    status: found === 'wrong' ? 422 : 200,
    body: html`${heading(title)}
${found === 'wrong' && html`<p>${texts.wrongText}</p>`}
${found !== null && found !== 'wrong' && html`<p>${texts.genuineText}</p>${found.statement[visitor.locale].map((line) => html`<p>${line}</p>`)}${renderDocument(visitor.locale, found)}`}
<form method="post" action="${VERIFY}"><div class="field"><label for="signed">${texts.label}</label>
<p class="hint" id="hint-signed">${texts.text}</p>
<textarea id="signed" name="signed" rows="6" maxlength="20000" spellcheck="false" autocomplete="off" aria-describedby="hint-signed">${typed}</textarea></div>
<p class="actions"><button>${texts.check}</button></p></form>`,
  }
}

/** Receipt as a text file: first in the owner's language, then in the other, the signature at the end. */
export function receiptText(locale: Locale, receipt: Receipt, document: ReceiptDocument): string {
  const parts = [locale, otherLocale(locale)].map((language) => {
    const name = TEXTS[language].receipt.names[document.kind]
    const rows = listRows(language, document).map(([label, value]) => TEXTS[language].consent.contactLine(label, value))
    return [name, '='.repeat(name.length), '', ...document.statement[language], '', ...rows, ''].join('\n')
  })
  const { proof } = TEXTS[locale].receipt
  return `${parts.join('\n')}\n${proof}\n${document.issuedBy}${VERIFY}\n\n${receipt.signed}\n`
}

function renderDocument(locale: Locale, document: ReceiptDocument): Html {
  return html`<dl class="terms">${listRows(locale, document).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
}

function listRows(locale: Locale, document: ReceiptDocument): [string, string][] {
  const texts = TEXTS[locale].receipt
  const { connection, consents, held } = document
  const calendar = { locale, zone: document.timeZone ?? UTC }
  const moment = (text: string) => writeMoment(new Date(text), calendar)
  return [
    [texts.number, document.id],
    [texts.on, moment(document.issuedAt)],
    [texts.company, safeDisplayName(document.company.name)],
    [texts.requester, safeDisplayName(document.permissionGivenTo.name)],
    [texts.service, connection.service[locale]],
    ...(connection.entity === '' ? [] : [[texts.entity, safeDisplayName(connection.entity)] satisfies [string, string]]),
    [texts.connectedOn, moment(connection.connectedAt)],
    ...consents.map(({ givenAt }): [string, string] => [texts.consents, moment(givenAt)]),
    [texts.held, texts.heldText(held.accounts, held.transactions)],
    [texts.locked, writeDay(new Date(document.deletedBy), calendar)],
    [texts.zone, nameZone(calendar)],
  ]
}
