const RANGE = /^\s*([\w*+.-]+\/[\w*+.-]+)\s*((?:;[^;]*)*)$/

/** Whether the reader asks for Markdown rather than HTML, by the `Accept` header. */
export function prefersMarkdown(accept: string | undefined): boolean {
  const weights = new Map<string, number>()
  for (const part of (accept ?? '').split(',')) {
    const [, type = '', parameters = ''] = RANGE.exec(part) ?? []
    const weight = Number(/;\s*q=([\d.]+)/.exec(parameters)?.[1] ?? '1')
    if (type !== '') weights.set(type.toLowerCase(), weight)
  }
  const markdown = weights.get('text/markdown') ?? 0
  return markdown > 0 && markdown >= (weights.get('text/html') ?? 0)
}
