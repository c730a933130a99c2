import { COMPARISONS, type Comparison, type FilterValue, InvalidFilter, type ScimFilter } from '../../../store/provisioning/filters.ts'

const MAX_LENGTH = 4_096
const MAX_DEPTH = 20
const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|[()[\]]|[^\s()[\]"]+/y
const ATTRIBUTE = /^[a-z$][\w$-]*(\.[a-z$][\w$-]*)?$/
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Prefixes of fully qualified attributes. */
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/

/** Path of a PATCH operation: an attribute, perhaps some of its values, perhaps one of their parts. */
export interface ScimPath {
  /** In lower case, with a part after a dot; without the prefix of a core schema. */
  attribute: string
  /** Which values of an attribute with several; null: all. */
  filter: ScimFilter | null
  /** The part that is meant of each of these values. */
  part: string | null
}

/** Attribute path in lower case, without the prefix of a core schema. */
export function toAttribute(text: string): string {
  return text.toLowerCase().replace(CORE, '')
}

/** Throws `InvalidFilter`. Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.2 */
export function parseFilter(text: string): ScimFilter {
  const tokens = new Tokens(text)
  const filter = parseOr(tokens, 0)
  tokens.end()
  return filter
}

/** Throws `InvalidFilter`. Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2 */
export function parsePath(text: string): ScimPath {
  const tokens = new Tokens(text)
  const word = tokens.take()
  const attribute = toAttribute(word)
  if (tokens.peek() !== '[') {
    if (!ATTRIBUTE.test(attribute) && !attribute.startsWith('urn:')) throw unexpected(word)
    tokens.end()
    return { attribute, filter: null, part: null }
  }
  if (!ATTRIBUTE.test(attribute)) throw unexpected(word)
  tokens.take()
  const filter = parseOr(tokens, 0)
  tokens.expect(']')
  const rest = tokens.peek() === null ? null : tokens.take().toLowerCase()
  if (rest !== null && (!rest.startsWith('.') || !ATTRIBUTE.test(rest.slice(1)))) throw unexpected(rest)
  tokens.end()
  return { attribute, filter, part: rest === null ? null : rest.slice(1) }
}

function parseOr(tokens: Tokens, depth: number): ScimFilter {
  return parseJoined(tokens, 'or', () => parseJoined(tokens, 'and', () => parseOne(tokens, depth)))
}

function parseJoined(tokens: Tokens, word: 'and' | 'or', next: () => ScimFilter): ScimFilter {
  const first = next()
  const filters = [first]
  while (tokens.peek()?.toLowerCase() === word) {
    tokens.take()
    filters.push(next())
  }
  return filters.length === 1 ? first : { kind: word, filters }
}

function parseOne(tokens: Tokens, depth: number): ScimFilter {
  if (depth > MAX_DEPTH) throw new InvalidFilter('The filter is nested too deeply.')
  const word = tokens.take()
  if (word === '(') return parseGroup(tokens, depth)
  if (word.toLowerCase() === 'not' && tokens.peek() === '(') {
    tokens.take()
    return { kind: 'not', filter: parseGroup(tokens, depth) }
  }
  const attribute = toAttribute(word)
  if (!ATTRIBUTE.test(attribute)) throw unexpected(word)
  const operator = tokens.take().toLowerCase()
  if (operator === 'pr') return { kind: 'present', attribute }
  if (!isComparison(operator)) throw unexpected(operator)
  return { kind: 'compare', attribute, operator, value: toValue(tokens.take()) }
}

function parseGroup(tokens: Tokens, depth: number): ScimFilter {
  const filter = parseOr(tokens, depth + 1)
  tokens.expect(')')
  return filter
}

function isComparison(word: string): word is Comparison {
  return COMPARISONS.some((each) => each === word)
}

function toValue(word: string): FilterValue {
  if (word.startsWith('"')) return toText(word)
  if (NUMBER.test(word)) return Number(word)
  const literal = word.toLowerCase()
  if (literal === 'true' || literal === 'false') return literal === 'true'
  if (literal === 'null') return null
  throw unexpected(word)
}

function toText(quoted: string): string {
  try {
    const text: unknown = JSON.parse(quoted)
    // PostgreSQL cannot store this character, in any parameter.
    if (typeof text === 'string' && !text.includes('\0') && text.isWellFormed()) return text
  } catch (cause) {
    throw new InvalidFilter('A text of the filter is not written as in JSON.', { cause })
  }
  throw new InvalidFilter('A text of the filter holds a character that is not allowed.')
}

function unexpected(word: string): InvalidFilter {
  return new InvalidFilter(`Not expected here: ${word.slice(0, 50)}`)
}

class Tokens {
  readonly #words: string[]
  #at = 0

  constructor(text: string) {
    if (text.length > MAX_LENGTH) throw new InvalidFilter(`A filter has at most ${MAX_LENGTH} characters.`)
    const words: string[] = []
    TOKEN.lastIndex = 0
    while (TOKEN.lastIndex < text.length) {
      const at = TOKEN.lastIndex
      const [word] = TOKEN.exec(text) ?? []
      if (word === undefined) throw unexpected(text.slice(at))
      if (word.trim() !== '') words.push(word)
    }
    this.#words = words
  }

  /** Null at the end. */
  peek(): string | null {
    return this.#words[this.#at] ?? null
  }

  take(): string {
    const word = this.peek()
    if (word === null) throw new InvalidFilter('It ends too early.')
    this.#at += 1
    return word
  }

  expect(wanted: string): void {
    const word = this.take()
    if (word !== wanted) throw unexpected(word)
  }

  end(): void {
    const word = this.peek()
    if (word !== null) throw unexpected(word)
  }
}
