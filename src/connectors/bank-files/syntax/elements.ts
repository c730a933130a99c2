import { cutAt, refusedAt, shownName } from '../refusal.ts'
import { TagReader } from './tags.ts'

export interface Element {
  readonly name: string
  readonly text: string
  readonly attributes: string
  readonly children: Element[]
  /** Offset of the opening tag. */
  readonly offset: number
}

/** Closed element, with the elements around it, outermost first. */
export interface Found {
  element: Element
  ancestors: readonly Element[]
}

interface Walk {
  dialect: 'xml' | 'sgml'
  /** Elements to stream: yielded when they close, then dropped, so that only one is in memory. */
  streamed: ReadonlySet<string>
  /** SGML: elements that never contain others, so that an empty one without closing tag is recognized. */
  leaves?: ReadonlySet<string>
  lineAt: (offset: number) => number
}

/** Statements nest some 15 deep; more is an attack. */
const MAX_DEPTH = 64

/** Names of statements have some 20 letters. */
const MAX_NAME = 64

/** Limit for elements without a closing tag: most hold text only. */
const NO_CHILDREN: Element[] = []

/**
 * Yields the streamed elements in the order in which they close. Throws for input that is not well formed: a tag that
 * closes nothing, an element that is not closed, a text that ends too early. In SGML an element with text needs no
 * closing tag.
 */
export function* walkElements(text: string, walk: Walk): Generator<Found, void> {
  const { lineAt } = walk
  const reader = new TagReader(text, walk.dialect, lineAt)
  const closers = walk.dialect === 'sgml' ? closedNames(text) : null
  const { streamed } = walk
  const open: Element[] = []
  let parent: Element | undefined
  let lastLeaf = ''
  let hasRoot = false
  while (reader.next()) {
    const { name } = reader
    if (reader.kind === 'close') {
      if (parent?.name === name) {
        const element = parent
        open.pop()
        parent = open.at(-1)
        if (streamed.has(name)) yield { element, ancestors: open }
        else parent?.children.push(element)
      } else if (closers === null || name !== lastLeaf) throw misplaced(name, parent, lineAt(reader.offset))
      lastLeaf = ''
      continue
    }
    if (parent === undefined && hasRoot)
      throw refusedAt(lineAt(reader.offset), 'text follows the end of the statement.', 'du texte suit la fin du relevé.')
    hasRoot = true
    const { text: content, attributes, offset } = reader
    const endsItself = reader.kind === 'empty' || (closers !== null && parent !== undefined && isLeaf(name, content, closers, walk))
    const element: Element = { name, text: content, attributes, children: endsItself ? NO_CHILDREN : [], offset }
    if (endsItself) {
      lastLeaf = name
      parent?.children.push(element)
      continue
    }
    lastLeaf = ''
    open.push(element)
    parent = element
    if (open.length > MAX_DEPTH) throw refusedAt(lineAt(offset), 'elements are nested too deep.', 'les éléments sont trop imbriqués.')
  }
  const unclosed = open.at(-1)
  if (unclosed !== undefined) throw endsInside(unclosed, lineAt(reader.position), lineAt(unclosed.offset))
}

/** First descendant along a path of names. */
export function find(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  let found = element
  for (const name of path) found = found && childOf(found, name)
  return found
}

/** NOTE a plain loop: called a dozen times for each movement of a large file. */
function childOf({ children }: Element, name: string): Element | undefined {
  for (const child of children) if (child.name === name) return child
  return undefined
}

/** Text along a path; null when absent or empty. */
export function textOf(element: Element | undefined, name: string, ...path: readonly string[]): string | null {
  const child = element && childOf(element, name)
  return (path.length === 0 ? child : find(child, ...path))?.text || null
}

/** In a truncated file the outer elements are never closed, but are not leaves. */
function isLeaf(name: string, text: string, closers: ReadonlySet<string>, { streamed, leaves }: Walk): boolean {
  return text !== '' || leaves?.has(name) === true || (!closers.has(name) && !streamed.has(name))
}

/** Names that are closed somewhere in the text. */
function closedNames(text: string): Set<string> {
  const names = new Set<string>()
  let last = ' '
  let end = -1
  for (let at = text.indexOf('</'); at !== -1; at = text.indexOf('</', at + 2)) {
    // One movement after the other closes the same name.
    if (text.startsWith(last, at + 2)) continue
    // NOTE found once for all before it, or a text of nothing but `</` would be searched to its end for each.
    if (end < at) end = text.indexOf('>', at)
    if (end === -1) break
    if (end - at >= MAX_NAME) continue
    last = text.slice(at + 2, end + 1)
    names.add(last.slice(0, -1).trimEnd())
  }
  return names
}

function misplaced(name: string, parent: Element | undefined, line: number): Error {
  const shown = shownName(name)
  if (parent === undefined) return refusedAt(line, `</${shown}> closes nothing.`, `</${shown}> ne ferme rien.`)
  const inside = shownName(parent.name)
  return refusedAt(
    line,
    `</${shown}> stands where <${inside}> is still open.`,
    `</${shown}> apparaît alors que <${inside}> est encore ouvert.`,
  )
}

function endsInside(element: Element, line: number, since: number): Error {
  const name = shownName(element.name)
  return cutAt(
    line,
    `the file ends inside <${name}>, opened on line ${since}.`,
    `le fichier se termine dans <${name}>, ouvert à la ligne ${since}.`,
  )
}
