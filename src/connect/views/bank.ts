import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName, safeFullName } from '../../model/values/display-names.ts'
import type { FoundInstitution } from '../../store/sources/institution-search.ts'
import { monogramPath } from '../branding/logos.ts'
import { type Localization, pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { handOffOffer } from './hand-off.ts'
import { heading, type Page } from './page.ts'
import { renderPager } from './pager.ts'

/** Query and result of a directory search. */
export interface BankSearch {
  text: string
  /** Two letters when the search is limited to the business's own country. */
  country: string | null
  showsAllCountries: boolean
  page: number
  pageSize: number
  institutions: FoundInstitution[]
  total: number
  isEmptyDirectory: boolean
}

/** Suggestions shown by the page's script below the field: plain text, to be inserted as text. */
interface BankSuggestions {
  status: string
  options: { name: string; title: string | null; site: string; address: string; logo: string }[]
}

export function bankPage(visitor: Visitor, visit: Visit, search: BankSearch): Page {
  const texts = visitor.texts.bank
  const { source } = visit
  return {
    title: texts.title,
    step: 'bank',
    address: searchPath(visit, search, search.page),
    ...(search.isEmptyDirectory ? {} : { script: 'banks' }),
    body: html`${heading(texts.title)}
${search.isEmptyDirectory ? html`<p>${texts.emptyDirectory(source)}</p>` : html`${renderForm(visitor, visit, search)}${renderResults(visitor, visit, search)}`}
<section class="aside"><h2>${texts.otherTitle}</h2>
<p class="actions"><a class="button quiet" href="${pathTo(visit, '/connect/institutions/missing')}">${texts.missing}</a>
<a class="button quiet" href="${pathTo(visit, '/connect/source', { choose: 'there' })}">${texts.skip(source)}</a></p></section>
${handOffOffer(visitor, visit)}`,
  }
}

/** First matching banks, and the number of matches. */
export function suggestionsOf(visitor: Localization, visit: Visit, search: BankSearch): BankSuggestions {
  const texts = visitor.texts.bank
  const { institutions, total } = search
  const found = total > institutions.length ? texts.foundSome(total, institutions.length) : texts.found(total)
  return {
    status: total === 0 ? [texts.none(safeDisplayName(search.text)), ...texts.noneNext].join(' ') : `${found}.`,
    options: institutions.map((bank) => ({
      name: safeDisplayName(bank.name),
      title: titleOf(bank.name),
      site: siteOf(bank),
      address: choicePath(visit, bank),
      logo: monogramPath(bank.name),
    })),
  }
}

function renderForm(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  const texts = visitor.texts.bank
  const countries = search.showsAllCountries ? 'all' : undefined
  return html`<form method="get" action="/connect/institutions" role="search" class="search" data-suggestions="${pathTo(visit, '/connect/institutions/suggestions', { countries })}">
${visit.ref !== null && html`<input type="hidden" name="link" value="${visit.ref}">`}
${search.showsAllCountries && html`<input type="hidden" name="countries" value="all">`}
<div class="field"><label for="search">${texts.label}</label>
<p class="hint" id="search-hint">${texts.hint}</p><span hidden id="search-keys">${texts.keys}</span>
<div class="row"><input type="search" id="search" name="search" value="${search.text}" aria-describedby="search-hint" maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search">
<button>${texts.search}</button></div></div>
</form>
<p class="count" role="status" id="bank-status" data-unread="${texts.unread}"></p>
<ul class="banks" id="bank-options" role="listbox" aria-label="${texts.suggestions}" hidden></ul>
<template id="bank-option"><li role="option" class="bank"><img alt="" width="36" height="36"><span><span class="name"></span> <span class="site"></span></span></li></template>
`
}

function renderResults(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  return html`<div id="bank-results">${search.total === 0 ? renderNone(visitor, search) : renderFound(visitor, visit, search)}${renderCountries(visitor, visit, search)}</div>`
}

function renderNone(visitor: Visitor, search: BankSearch): Html {
  const texts = visitor.texts.bank
  return html`<p>${texts.none(safeDisplayName(search.text))}</p>
<ul class="advice">${texts.noneNext.map((advice) => html`<li>${advice}</li>`)}</ul>`
}

function renderFound(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  const texts = visitor.texts.bank
  const { institutions, text, total, page } = search
  const popular = text === '' && page === 1 ? institutions.filter(({ isPopular }) => isPopular) : []
  const others = institutions.filter((bank) => !popular.includes(bank))
  return html`${popular.length > 0 && renderList(visit, texts.popular, popular)}
${others.length > 0 && renderList(visit, text === '' ? texts.all : texts.found(total), others)}
${renderPager(visitor, texts.pages, { page, last: Math.ceil(total / search.pageSize) }, (other) => searchPath(visit, search, other))}`
}

function renderList(visit: Visit, title: string, banks: FoundInstitution[]): Html {
  return html`<h2 class="count">${title}</h2>
<ul class="banks">${banks.map((bank) => renderBank(visit, bank))}</ul>`
}

function renderBank(visit: Visit, bank: FoundInstitution): Html {
  const [site, title] = [siteOf(bank), titleOf(bank.name)]
  return html`<li><a class="bank" href="${choicePath(visit, bank)}"${title !== null && html` title="${title}"`}><img src="${monogramPath(bank.name)}" alt="" width="36" height="36"> <span><span class="name">${safeDisplayName(bank.name)}</span>${site !== '' && html` <span class="site">${site}</span>`}</span></a></li>
`
}

function siteOf({ url }: FoundInstitution): string {
  return url !== null && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '').slice(0, 60) : ''
}

/** Full name, for one too long to be shown. */
function titleOf(name: string): string | null {
  const whole = safeFullName(name)
  return whole === safeDisplayName(name) ? null : whole
}

function choicePath(visit: Visit, bank: FoundInstitution): string {
  return pathTo(visit, '/connect/source', { institution: bank.id })
}

function renderCountries(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  if (search.country === null) return html``
  return html`<p><a href="${searchPath(visit, { ...search, showsAllCountries: true }, 1)}">${visitor.texts.bank.allCountries}</a></p>`
}

function searchPath(visit: Visit, search: Pick<BankSearch, 'text' | 'showsAllCountries'>, page: number): string {
  return pathTo(visit, '/connect/institutions', {
    search: search.text === '' ? undefined : search.text,
    countries: search.showsAllCountries ? 'all' : undefined,
    page: page > 1 ? String(page) : undefined,
  })
}
