import { layout, searchForm } from '../pages/layout.ts'
import { type Assets, type Navigation, NOT_FOUND } from '../pages/site.ts'
import type { Output } from './assets.ts'

/** Pages without a document: the search, and the answer to unknown addresses. */
export function standalonePages(navigation: Navigation, assets: Assets): Output[] {
  const found = { title: 'Search', path: '/docs/search', markdown: null, main: SEARCH }
  const missing = { title: 'There is no such page', path: null, markdown: null, main: NO_SUCH_PAGE }
  const toOutput = (path: string, file: string, page: Parameters<typeof layout>[0]): Output => ({
    path,
    file,
    type: 'text/html; charset=utf-8',
    content: Buffer.from(layout(page, navigation, assets)),
  })
  return [toOutput('/docs/search', 'search.html', found), toOutput(NOT_FOUND, 'not-found.html', missing)]
}

const SEARCH = `<h1>Search</h1>
<p id="search-status" role="status">The search needs JavaScript. Without it, the menu lists all pages.</p>
<ol id="search-results" class="results"></ol>`

const NO_SUCH_PAGE = `<h1>There is no such page</h1>
<p>The address is wrong, or the page has moved. Search for it, or go to the <a href="/docs/">first page</a>, which says
what each page is about.</p>
${searchForm('missing-search')}`
