import { toHtml } from './html.ts'
import type { Assets, Navigation, NavigationPage } from './site.ts'

export interface PageContent {
  title: string
  /** URL path, or null for a page without one. */
  path: string | null
  /** URL path of the same page as Markdown. */
  markdown: string | null
  /** Markup of the main part, with its `h1`. */
  main: string
  /** `wide`: samples beside the text; `with-outline`: sections of the page beside it, where there is room. */
  shape?: 'wide' | 'with-outline'
  /** URL path of the page's script, besides that of all pages. */
  script?: string
  /** What the script is told, as `data-…` of the main part. */
  data?: Record<string, string>
}

/** A whole page (HTML). The menu follows the main part, so that a narrow screen begins with what was asked for. */
export function layout(page: PageContent, navigation: Navigation, assets: Assets): string {
  const { title, path, markdown, main, shape, script, data = {} } = page
  const told = Object.entries(data).map(([name, value]) => ` data-${name}="${toHtml(value)}"`)
  const alternate = markdown === null ? '' : `<link rel="alternate" type="text/markdown" href="${toHtml(markdown)}">\n`
  const twin = markdown === null ? '' : `<p><a href="${toHtml(markdown)}">This page as Markdown</a></p>`
  const scripts = [assets.script, ...(script === undefined ? [] : [script])]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${toHtml(title)} · Countinghouse</title>
<link rel="stylesheet" href="${toHtml(assets.style)}">
${alternate}${scripts.map((each) => `<script type="module" src="${toHtml(each)}"></script>\n`).join('')}</head>
<body data-index="${toHtml(assets.index)}">
<a class="skip" href="#main">Skip to the text</a>
<header class="top"><a class="name" href="/docs/">Countinghouse <span>docs</span></a>
<nav class="links" aria-label="Shortcuts"><a href="/docs/developers/first-data">Guides</a><a href="/docs/reference">API reference</a><a href="/docs/changelog">Changelog</a><a href="/portal/">Portal</a></nav>
<search>${searchForm('search')}</search><a class="to-menu" href="#menu">Menu</a></header>
<div class="columns">
<main id="main" tabindex="-1"${shape === undefined ? '' : ` class="${shape}"`}${told.join('')}>
${trail(navigation, path)}${main}
${neighbours(navigation, path)}</main>
<nav id="menu" class="menu" tabindex="-1" aria-label="Documentation">
${navigation.map((section) => menuSection(section, path)).join('\n')}
</nav>
</div>
<footer>${twin}<p>The documentation is in English. <span lang="fr-CA">La documentation est en anglais.</span></p></footer>
</body>
</html>
`
}

function menuSection({ title, pages }: Navigation[number], path: string | null): string {
  return `<h2>${toHtml(title)}</h2>\n<ul>${pages.map((page) => menuItem(page, path)).join('')}</ul>`
}

function menuItem(page: NavigationPage, path: string | null): string {
  const current = page.path === path ? ' aria-current="page"' : ''
  const { below = [] } = page
  const inner = below.length === 0 ? '' : `<ul class="below">${below.map((each) => menuItem(each, path)).join('')}</ul>`
  return `<li><a href="${toHtml(page.path)}"${current}>${toHtml(page.title)}</a>${inner}</li>`
}

/** The section of the menu that the page is in. */
function trail(navigation: Navigation, path: string | null): string {
  const section = navigation.find(({ pages }) => pages.some((page) => page.path === path))
  return section === undefined ? '' : `<p class="trail">${toHtml(section.title)}</p>\n`
}

/** Links to the pages before and after, in the order of the menu. */
function neighbours(navigation: Navigation, path: string | null): string {
  const pages = navigation.flatMap((section) => section.pages)
  const at = pages.findIndex((page) => page.path === path)
  if (at < 0) return ''
  const link = (page: NavigationPage | undefined, name: string, text: string) =>
    page === undefined ? '' : `<a class="${name}" href="${toHtml(page.path)}"><small>${text}</small> ${toHtml(page.title)}</a>`
  const links = `${link(pages[at - 1], 'previous', 'Previous')}${link(pages[at + 1], 'next', 'Next')}`
  return `<nav class="neighbours" aria-label="Previous and next page">${links}</nav>\n`
}

/** Form that leads to the page of the search. */
export function searchForm(id: string): string {
  return `<form action="/docs/search" class="search"><label for="${id}">Search</label> <input type="search" id="${id}" name="q" autocomplete="off" maxlength="200" placeholder="Search"> <button>Search</button></form>`
}
