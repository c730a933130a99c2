import { type Html, html } from '../../model/texts/html.ts'
import type { Localization } from '../visit/visitor.ts'

/** Page of a list: its number, from 1, and that of the last one. */
export interface ListPage {
  page: number
  last: number
}

/** Page of a list that a visitor asked for: the first one for anything but a number, the last one for a higher number. */
export function toListPage(asked: string | undefined, total: number, pageSize: number): ListPage {
  const last = Math.max(1, Math.ceil(total / pageSize))
  return { page: Math.min(last, Math.max(1, Number.parseInt(asked ?? '1', 10) || 1)), last }
}

/** Links to the pages before and after; nothing for a list of one page. */
export function renderPager({ texts }: Localization, name: string, { page, last }: ListPage, pathOf: (page: number) => string): Html {
  if (last <= 1) return html``
  return html`<nav class="pager" aria-label="${name}">
${page > 1 && html`<a href="${pathOf(page - 1)}" rel="prev">${texts.bank.earlier}</a>`}
<span>${page} / ${last}</span>
${page < last && html`<a href="${pathOf(page + 1)}" rel="next">${texts.bank.later}</a>`}
</nav>`
}
