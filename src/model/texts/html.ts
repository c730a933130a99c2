/** Markup that is safe to send: only `html` makes it, so everything in it was escaped or written by us. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** A template whose values are escaped, for text and for quoted attributes; nested `html` goes in as it is, `false` and null leave nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.raw.reduce((markup, text, index) => `${markup}${render(parts[index - 1])}${text}`))
}

function render(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (part instanceof Html) return part.markup
  if (typeof part === 'string') return escapeMarkup(part)
  if (typeof part === 'number') return String(part)
  return part.map(render).join('')
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
