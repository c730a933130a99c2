import { lexer, parser, Renderer, type Tokens } from 'marked'
import { toHtml } from '../pages/html.ts'
import { languageGroup } from '../pages/language-group.ts'
import type { ServedDocument } from './documents.ts'
import { type LinkMap, resolveLink, rewriteHtml } from './links.ts'

export interface Heading {
  depth: number
  id: string
  /** Plain text. */
  text: string
}

/** A document with its markup. */
export interface RenderedDocument extends Rendered {
  document: ServedDocument
}

export interface Rendered {
  html: string
  headings: Heading[]
}

/** Markdown of a document as HTML, its links leading to pages of the site, its headings with the ids that GitHub gives. */
export function renderMarkdown(text: string, file: string, links: LinkMap): Rendered {
  const headings: Heading[] = []
  const html = parser(lexer(text), { gfm: true, renderer: new SiteRenderer(file, links, headings) })
  return { html: joinLanguages(html), headings }
}

class SiteRenderer extends Renderer {
  readonly #file: string
  readonly #links: LinkMap
  readonly #headings: Heading[]
  readonly #taken = new Map<string, number>()

  constructor(file: string, links: LinkMap, headings: Heading[]) {
    super()
    this.#file = file
    this.#links = links
    this.#headings = headings
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const inner = this.parser.parseInline(tokens)
    const text = this.parser.parseInline(tokens, this.parser.textRenderer)
    const slug = slugOf(text)
    const before = this.#taken.get(slug) ?? 0
    this.#taken.set(slug, before + 1)
    const id = before === 0 ? slug : `${slug}-${before}`
    this.#headings.push({ depth, id, text })
    return `<h${depth} id="${toHtml(id)}">${inner}</h${depth}>\n`
  }

  override link({ href, tokens }: Tokens.Link): string {
    const inner = this.parser.parseInline(tokens)
    const address = resolveLink(this.#links, this.#file, href)
    return address === null ? inner : `<a href="${toHtml(address)}">${inner}</a>`
  }

  override image({ href, text }: Tokens.Image): string {
    return `<img src="${toHtml(resolveLink(this.#links, this.#file, href) ?? '')}" alt="${toHtml(text)}">`
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return rewriteHtml(this.#links, this.#file, text)
  }

  /** Wide blocks scroll by themselves, with the keyboard too. */
  override code({ text, lang = '' }: Tokens.Code): string {
    const language = /^\w+/.exec(lang)?.[0]
    return `<pre tabindex="0"><code${language === undefined ? '' : ` class="language-${language}"`}>${toHtml(text)}</code></pre>\n`
  }

  override table(token: Tokens.Table): string {
    return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${super.table(token)}</div>\n`
  }
}

const NAMES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }
const BLOCK = '<pre tabindex="0"><code class="language-(?:sh|ts|python)">(?:(?!</pre>)[\\s\\S])*</pre>\\n'

/** Blocks that follow each other in several languages are the same in each: one is shown at a time. */
function joinLanguages(html: string): string {
  let count = 0
  return html.replaceAll(new RegExp(`(?:${BLOCK}){2,}`, 'g'), (blocks) => {
    const parts = [...blocks.matchAll(new RegExp(BLOCK, 'g'))].map(([block]) => {
      const [, language = ''] = /class="language-(\w+)"/.exec(block) ?? []
      return { name: NAMES[language] ?? language, block: block.trim() }
    })
    if (new Set(parts.map(({ name }) => name)).size < parts.length) return blocks
    count += 1
    return `${languageGroup(`sample-${count}`, parts)}\n`
  })
}

/** Source: https://github.com/gjtorikian/html-pipeline, TableOfContentsFilter */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}
