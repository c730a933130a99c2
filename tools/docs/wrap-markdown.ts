import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Line width of Markdown prose, in characters. */
export const WIDTH = 120

/** Blocks whose lines are never wrapped: tables, headings, HTML, quotations, link definitions and indented code. */
const FIXED = /^(?:\s*(?:\||#{1,6} |<|>|\[[^\]]+\]:)| {4,}(?![-*+] |\d+\. ))/
const FENCE = /^\s*(```+|~~~+)/
const ITEM = /^(\s*(?:[-*+]|\d+[.)]) +)/

/**
 * Wraps the paragraphs and list items of a Markdown text that have a line over `WIDTH`; all other text stays byte for
 * byte. Inline code and URLs are never broken, so a line may stay longer if it contains nothing else.
 */
export function wrapMarkdown(text: string): string {
  const wrapped: string[] = []
  let paragraph: string[] = []
  let fence: string | undefined
  const flush = () => {
    wrapped.push(...wrapParagraph(paragraph))
    paragraph = []
  }
  for (const line of text.split('\n')) {
    const [, mark] = FENCE.exec(line) ?? []
    if (mark && (fence === undefined || mark.startsWith(fence))) {
      flush()
      wrapped.push(line)
      fence = fence === undefined ? mark : undefined
    } else if (fence !== undefined || line.trim() === '' || (FIXED.test(line) && paragraph.length === 0)) {
      flush()
      wrapped.push(line)
    } else if (/^\s*\||^#{1,6} |^</.test(line)) {
      flush()
      wrapped.push(line)
    } else {
      if (ITEM.test(line)) flush()
      paragraph.push(line)
    }
  }
  flush()
  return wrapped.join('\n')
}

function wrapParagraph(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines
  if (lines.every((line) => line.length <= WIDTH)) return lines
  const prefix = ITEM.exec(first)?.[1] ?? /^\s*/.exec(first)?.[0] ?? ''
  const indentation = ' '.repeat(prefix.length)
  const filled: string[] = []
  let line = prefix
  let isEmpty = true
  for (const word of wordsOf([first.slice(prefix.length), ...lines.slice(1)].join(' '))) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      filled.push(line)
      line = indentation
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...filled, line]
}

/**
 * Unbreakable pieces; text that would begin a list, a heading or a table at the start of a line stays with the
 * preceding word.
 */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    if (words.length > 0 && /^(?:[-+*]|\d+[.)]|#{1,6}|[|>].*|=+|-+)$/.test(word)) words.push(`${words.pop()} ${word}`)
    else words.push(word)
  }
  return words
}

/**
 * Paths of all Markdown files of the project, relative to its root, in order. Dependencies, data and hidden folders
 * are excluded.
 */
export function listMarkdown(root: string): string[] {
  return globSync('**/*.md', { cwd: root, exclude: (name) => /(?:^|\/)(?:node_modules|data|dist|\.[^/]+)$/.test(name) }).sort()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = resolve(import.meta.dirname, '../..')
  for (const path of listMarkdown(root)) {
    const text = readFileSync(resolve(root, path), 'utf8')
    const wrapped = wrapMarkdown(text)
    if (wrapped === text) continue
    writeFileSync(resolve(root, path), wrapped)
    process.stdout.write(`${path}\n`)
  }
}
