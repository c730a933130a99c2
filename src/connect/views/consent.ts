import { type Html, html } from '../../model/texts/html.ts'
import { leadsToSignIn } from '../../sync/branding/return-address.ts'
import { requesterLogo } from '../branding/branding.ts'
import { logoPath, monogramPath } from '../branding/logos.ts'
import { pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import type { Terms } from './consent-terms.ts'
import { heading, type Page } from './page.ts'

interface ConsentView {
  terms: Terms
  /** Hash of the text shown. */
  hash: string
  /** The text has changed since the owner opened the page. */
  hasChanged: boolean
}

/** Consent page: who asks, for whom, what is read, why, how long, and how it ends. */
export function consentPage(visitor: Visitor, visit: Visit, { terms, hash, hasChanged }: ConsentView): Page {
  const texts = visitor.texts.consent
  const { service } = visit.open
  const logo = service.institutionId === null ? logoPath(service.source.description.key) : monogramPath(service.name)
  return {
    title: terms.title,
    step: 'consent',
    address: pathTo(visit, '/connect/consent'),
    isDated: true,
    status: hasChanged ? 409 : 200,
    body: html`<p class="pair">${requesterLogo(visit.open, 56)}<span class="link" aria-hidden="true"></span><img src="${logo}" alt="" width="56" height="56"></p>
${heading(terms.title)}
${hasChanged && html`<p class="notice" role="status">${texts.changed}</p>`}
${terms.renewal !== null && html`<p class="notice">${terms.renewal}</p>`}
<dl class="terms">
${terms.rows.map(({ name, statements }) => html`<div><dt>${name}</dt><dd>${renderStatements(statements)}</dd></div>`)}${terms.contact && html`<div><dt>${terms.contact.name}</dt><dd>${contactLink(terms.contact.address, visitor.origin)}</dd></div>`}
</dl>
<form method="post" action="${pathTo(visit, '/connect/consent')}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<input type="hidden" name="terms" value="${hash}">
<input type="hidden" name="language" value="${visitor.locale}">
<button name="choice" value="agree">${texts.agree}</button>
<button name="choice" value="decline" class="quiet">${texts.decline}</button>
</form>
<p class="small aside">${visitor.texts.handOff.agreeFirst}</p>`,
  }
}

function renderStatements(statements: readonly string[]): Html {
  if (statements.length === 1) return html`${statements[0]}`
  return html`<ul>${statements.map((statement) => html`<li>${statement}</li>`)}</ul>`
}

/** Opens the owner's mail program, or the instance's page in another tab; never a sign-in of the portal. */
function contactLink(address: string, origin: string): Html {
  if (address.startsWith('https://') && leadsToSignIn(address, origin)) return html`${address}`
  if (address.startsWith('https://')) return html`<a href="${address}" target="_blank" rel="noopener noreferrer">${address}</a>`
  return html`<a href="mailto:${address}">${address}</a>`
}
