import MiniSearch from 'minisearch'
import type { RenderedDocument } from './render-markdown.ts'

const OPTIONS = { fields: ['title', 'heading', 'text'], storeFields: ['title', 'heading', 'path', 'excerpt'] }
const EXCERPT_CHARACTERS = 140
/** Longer blocks are records of what programs printed, not what somebody looks for. */
const BLOCK_CHARACTERS = 1_500

/**
 * Full-text index of the sections of all documents, as JSON that the search page loads; with the options it was made
 * with, which reading it needs again.
 */
export function searchIndex(documents: readonly RenderedDocument[]): string {
  const index = new MiniSearch(OPTIONS)
  let id = 0
  for (const { document, html, headings } of documents) {
    const title = headings.find(({ depth }) => depth === 1)?.text ?? document.title
    for (const part of html.split(/(?=<h[1-3] id=")/)) {
      const [, anchor = ''] = /^<h[1-3] id="([^"]+)"/.exec(part) ?? []
      const heading = headings.find((each) => each.id === anchor)
      const isTop = heading === undefined || heading.depth === 1
      const text = toText(withoutLongBlocks(part.replace(/^<h\d[\s\S]*?<\/h\d>/, '')))
      if (text === '' && isTop) continue
      const path = isTop ? document.path : `${document.path}#${anchor}`
      index.add({ id: id++, title, heading: isTop ? '' : heading.text, text, path, excerpt: shorten(text) })
    }
  }
  return JSON.stringify({ options: OPTIONS, index })
}

function withoutLongBlocks(html: string): string {
  return html.replaceAll(/<pre[\s\S]*?<\/pre>/g, (block) => (block.length > BLOCK_CHARACTERS ? '' : block))
}

/** Text of our own markup. */
function toText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function shorten(text: string): string {
  if (text.length <= EXCERPT_CHARACTERS) return text
  return `${text.slice(0, text.lastIndexOf(' ', EXCERPT_CHARACTERS))} …`
}
