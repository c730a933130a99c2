import { parseInline } from 'marked'
import { toHtml } from '../pages/html.ts'
import type { Section, ServedDocument } from './documents.ts'
import { type LinkMap, resolveLink } from './links.ts'
import { slugOf } from './render-markdown.ts'

/** Main part of the first page: a card for each document of the menu. */
export function homeHtml(home: ServedDocument, sections: readonly Section[], links: LinkMap): string {
  const [title = '', introduction = ''] = home.text.split('\n\n')
  const parts = sections.map(({ title: name, documents }) => {
    const cards = documents.filter(({ isNested }) => !isNested).map(card)
    return `<h2 id="${slugOf(name)}">${toHtml(name)}</h2>\n<ul class="cards">${cards.join('')}</ul>`
  })
  const text = inline(introduction, (target) => resolveLink(links, home.file, target))
  return `<h1>${toHtml(title.replace(/^# /, ''))}</h1>\n<p>${text}</p>\n${parts.join('\n')}`
}

/** The whole card leads to its page, so its text has no links of its own. */
function card({ title, path, summary }: ServedDocument): string {
  const sentence = summary.replace(/ \(generated\)$/, '').replace(/^./, (letter) => letter.toUpperCase())
  const said = sentence === '' ? '' : `<p>${inline(sentence, () => null)}</p>`
  return `<li><a href="${toHtml(path)}">${toHtml(title)}</a>${said}</li>`
}

function inline(markdown: string, resolve: (target: string) => string | null): string {
  const linked = markdown.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_whole, label: string, target: string) => {
    const address = resolve(target)
    return address === null ? label : `[${label}](${address})`
  })
  return parseInline(linked, { async: false })
}
