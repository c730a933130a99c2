import { posix } from 'node:path'

/** Where links of the documents lead on the site. */
export interface LinkMap {
  /** URL paths by file of the project; folders too. */
  pages: ReadonlyMap<string, string>
}

/** A text's targets outside code: inline links and images. */
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g
const ATTRIBUTE = /\b(src|srcset|href)="([^"]+)"/g

/**
 * Address on the site of a link in `file`: of the web as it is, of a served document its page (its Markdown if
 * `asMarkdown`); null for files of the project that are not served.
 */
export function resolveLink(links: LinkMap, file: string, target: string, asMarkdown = false): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(target)) return target
  const [name = '', fragment] = target.split('#')
  const path = links.pages.get(posix.normalize(posix.join(posix.dirname(file), name)).replace(/\/$/, ''))
  if (path === undefined) return null
  const page = !asMarkdown || isImage(path) ? path : `${path === '/docs/' ? '/docs/index' : path}.md`
  return fragment === undefined ? page : `${page}#${fragment}`
}

/** Attributes of raw HTML whose addresses are files of the project. */
export function rewriteHtml(links: LinkMap, file: string, html: string): string {
  return html.replaceAll(/<!--[\s\S]*?-->/g, '').replaceAll(ATTRIBUTE, (whole, name: string, target: string) => {
    const address = resolveLink(links, file, target)
    return address === null ? whole : `${name}="${address}"`
  })
}

/** Markdown whose links lead to the Markdown of the site; those that lead nowhere there become their text. */
export function rewriteMarkdown(links: LinkMap, file: string, text: string): string {
  const parts = text.split(/(^(?:```+)[\s\S]*?^```+$|`[^`\n]*`)/m)
  const rewrite = (part: string): string =>
    rewriteHtml(links, file, part).replaceAll(LINK, (_whole, image: string, label: string, target: string) => {
      const address = resolveLink(links, file, target, true)
      return address === null ? label : `${image}[${label}](${address})`
    })
  // A link whose text is code is split at the code, so those are joined again.
  return joinCode(parts)
    .map((part) => (isBlock(part) ? part : rewrite(part)))
    .join('')
}

/** Parts between blocks of code; inline code stays within its text. */
function joinCode(parts: readonly string[]): string[] {
  const joined: string[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (isBlock(part) || last === undefined || isBlock(last)) joined.push(part)
    else joined[joined.length - 1] = last + part
  }
  return joined
}

function isBlock(part: string): boolean {
  return part.startsWith('```')
}

function isImage(path: string): boolean {
  return /\.(webp|png|svg)$/.test(path)
}
