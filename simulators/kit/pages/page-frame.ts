import { escapeXml } from './escape-xml.ts'
import type { PageLanguage } from './page-language.ts'

/** A complete HTML page: `content` is HTML, the title is trusted text. */
export function pageFrame(language: PageLanguage, title: string, style: string, content: string): string {
  return `<!doctype html>
<html lang="${language === 'fr' ? 'fr-CA' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><main>
${content}
</main></body>
</html>
`
}

/** Items of a list of links to the same page with another login; other parameters are kept. */
export function loginLinks(others: readonly { key: string; person: string }[], query: URLSearchParams): string {
  const links = others.map(({ key, person }) => {
    const address = new URLSearchParams(query)
    address.set('login', key)
    return `<li><a href="?${escapeXml(address.toString())}">${escapeXml(person)}</a></li>`
  })
  return links.join('')
}
