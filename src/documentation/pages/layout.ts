import { toHtml } from './html.ts'
import type { Assets, Navigation } from './site.ts'

export interface PageContent {
  title: string
  /** URL path, or null for a page without one. */
  path: string | null
  /** URL path of the same page as Markdown. */
  markdown: string | null
  /** Markup of the main part, with its `h1`. */
  main: string
  /** URL path of the page's script. */
  script?: string
  /** What the script is told, as `data-…` of the main part. */
  data?: Record<string, string>
}

/** A whole page (HTML). The menu follows the main part, so that a narrow screen begins with what was asked for. */
export function layout(page: PageContent, navigation: Navigation, assets: Assets): string {
  const { title, path, markdown, main, script, data = {} } = page
  const told = Object.entries(data).map(([name, value]) => ` data-${name}="${toHtml(value)}"`)
  const alternate = markdown === null ? '' : `<link rel="alternate" type="text/markdown" href="${toHtml(markdown)}">\n`
  const twin = markdown === null ? '' : `<p><a href="${toHtml(markdown)}">This page as Markdown</a></p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${toHtml(title)} · Countinghouse</title>
<link rel="stylesheet" href="${toHtml(assets.style)}">
${alternate}${script === undefined ? '' : `<script type="module" src="${toHtml(script)}"></script>\n`}</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top"><a class="name" href="/docs/">Countinghouse docs</a>
<search>${searchForm('search')}</search><a class="to-menu" href="#menu">Menu</a></header>
<div class="columns">
<main id="main" tabindex="-1"${told.join('')}>
${main}
</main>
<nav id="menu" tabindex="-1" aria-label="Documentation">
${navigation.map((section) => menuSection(section, path)).join('\n')}
</nav>
</div>
<footer>${twin}<p>The documentation is in English. <span lang="fr-CA">La documentation est en anglais.</span></p></footer>
</body>
</html>
`
}

function menuSection({ title, pages }: Navigation[number], path: string | null): string {
  const items = pages.map((page) => {
    const current = page.path === path ? ' aria-current="page"' : ''
    return `<li><a href="${toHtml(page.path)}"${current}>${toHtml(page.title)}</a></li>`
  })
  return `<h2>${toHtml(title)}</h2>\n<ul>${items.join('')}</ul>`
}

/** Form that leads to the page of the search. */
export function searchForm(id: string): string {
  return `<form action="/docs/search" class="search"><label for="${id}">Search</label> <input type="search" id="${id}" name="q" autocomplete="off" maxlength="200"> <button>Search</button></form>`
}
