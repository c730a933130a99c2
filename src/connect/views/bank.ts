import type { DirectoryEntry } from '../../store/institutions.ts'
import { type Html, html } from '../html.ts'
import { monogramPath } from '../logos.ts'
import { shownName } from '../names.ts'
import { pathTo, type Visit, type Visitor } from '../visitor.ts'
import { heading, type Page } from './page.ts'

/** What was looked for in the directory, and what was found. */
export interface BankSearch {
  text: string
  /** Two letters when the list is kept to the business's own country. */
  country: string | null
  showsAllCountries: boolean
  page: number
  pageSize: number
  institutions: DirectoryEntry[]
  total: number
  isEmptyDirectory: boolean
}

export function bankPage(visitor: Visitor, visit: Visit, search: BankSearch): Page {
  const texts = visitor.texts.bank
  const { source } = visit
  return {
    title: texts.title,
    step: 'bank',
    address: searchPath(visit, search, search.page),
    body: html`${heading(texts.title)}
${search.isEmptyDirectory ? html`<p>${texts.emptyDirectory(source)}</p>` : html`${renderForm(visitor, visit, search)}${renderResults(visitor, visit, search)}`}
<p class="actions"><a class="button quiet" href="${pathTo(visit, '/connect/institutions/missing')}">${texts.missing}</a>
<a class="button quiet" href="${pathTo(visit, '/connect/source', { choose: 'there' })}">${texts.skip(source)}</a></p>`,
  }
}

function renderForm(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  const texts = visitor.texts.bank
  return html`<form method="get" action="/connect/institutions" role="search" class="search">
${visit.ref !== null && html`<input type="hidden" name="link" value="${visit.ref}">`}
${search.showsAllCountries && html`<input type="hidden" name="countries" value="all">`}
<div class="field"><label for="search">${texts.label}</label>
<p class="hint" id="search-hint">${texts.hint}</p>
<div class="row"><input type="search" id="search" name="search" value="${search.text}" aria-describedby="search-hint" maxlength="100" autocomplete="off" enterkeyhint="search">
<button>${texts.search}</button></div></div>
</form>`
}

function renderResults(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  const texts = visitor.texts.bank
  if (search.total === 0)
    return html`<p class="count" role="status">${texts.none(shownName(search.text))}</p>${renderCountries(visitor, visit, search)}`
  return html`<h2 class="count">${search.text === '' ? texts.all : texts.found(search.total)}</h2>
<ul class="banks">${search.institutions.map((bank) => renderBank(visit, bank))}</ul>
${renderPager(visitor, visit, search)}${renderCountries(visitor, visit, search)}`
}

function renderBank(visit: Visit, bank: DirectoryEntry): Html {
  const site = bank.url !== null && URL.canParse(bank.url) ? new URL(bank.url).hostname.replace(/^www\./, '') : ''
  return html`<li><a href="${pathTo(visit, '/connect/source', { institution: bank.id })}"><img src="${monogramPath(bank.name)}" alt="" width="36" height="36"> <span><span class="name">${shownName(bank.name)}</span>${site !== '' && html` <span class="site">${site.slice(0, 60)}</span>`}</span></a></li>
`
}

function renderPager(visitor: Visitor, visit: Visit, search: BankSearch): Html {
  const texts = visitor.texts.bank
  const last = Math.ceil(search.total / search.pageSize)
  if (last <= 1) return html``
  return html`<nav class="pager" aria-label="${texts.pages}">
${search.page > 1 && html`<a href="${searchPath(visit, search, search.page - 1)}" rel="prev">${texts.earlier}</a>`}
<span>${search.page} / ${last}</span>
${search.page < last && html`<a href="${searchPath(visit, search, search.page + 1)}" rel="next">${texts.later}</a>`}
</nav>`
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
