/**
 * A statement of QuickBooks' query language.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries
 */
export interface Query {
  entity: string
  count: boolean
  /** Properties to return; null for all. */
  properties: string[] | null
  conditions: Condition[]
  order: { property: string; descending: boolean }[]
  /** Counted from 1. */
  startPosition: number
  maxResults: number
}

export interface Condition {
  property: string
  operator: '=' | '!=' | '<' | '>' | '<=' | '>=' | 'IN' | 'LIKE'
  values: string[]
}

/** `code` 4000: the statement cannot be parsed; 4001: it refers to something unknown. */
export class QueryError extends Error {
  readonly code: '4000' | '4001'

  constructor(code: QueryError['code'], detail: string) {
    super(detail)
    this.name = 'QueryError'
    this.code = code
  }
}

const DEFAULT_RESULTS = 100
const MOST_RESULTS = 1000
const TOKEN = /\s*(?:('(?:[^'\\]|\\.)*')|(<=|>=|!=|[=<>(),*])|([A-Za-z0-9_.+:-]+))/y
const OPERATORS: Readonly<Record<string, Condition['operator']>> = {
  '=': '=',
  '!=': '!=',
  '<': '<',
  '>': '>',
  '<=': '<=',
  '>=': '>=',
  IN: 'IN',
  LIKE: 'LIKE',
}

export function parseQuery(text: string): Query {
  const parser = new Parser(tokenize(text))
  parser.expect('SELECT')
  const { count, properties } = parser.selection()
  parser.expect('FROM')
  const query: Query = {
    entity: parser.next('an entity'),
    count,
    properties,
    conditions: parser.accept('WHERE') ? parser.list('AND', () => parser.condition()) : [],
    order: parser.acceptOrder() ? parser.list(',', () => parser.ordering()) : [],
    startPosition: parser.accept('STARTPOSITION') ? parser.number() : 1,
    maxResults: parser.accept('MAXRESULTS') ? parser.number() : DEFAULT_RESULTS,
  }
  parser.end()
  if (query.maxResults > MOST_RESULTS)
    throw new QueryError('4001', `value ${query.maxResults} is too large. Max allowed value is ${MOST_RESULTS}.`)
  if (query.startPosition < 1) throw new QueryError('4001', 'STARTPOSITION begins at 1')
  return query
}

function tokenize(text: string): string[] {
  const tokens: string[] = []
  const trimmed = text.trim()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < trimmed.length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(trimmed)
    if (!match) throw new QueryError('4000', `QueryParserError: unexpected text at column ${at + 1}`)
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '')
  }
  return tokens
}

class Parser {
  readonly #tokens: string[]
  #at = 0

  constructor(tokens: string[]) {
    this.#tokens = tokens
  }

  next(wanted: string): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new QueryError('4000', `QueryParserError: ${wanted} expected at the end`)
    return token
  }

  accept(keyword: string): boolean {
    const found = this.#tokens[this.#at]?.toUpperCase() === keyword
    if (found) this.#at++
    return found
  }

  expect(keyword: string): void {
    if (!this.accept(keyword))
      throw new QueryError('4000', `QueryParserError: Encountered "${this.#tokens[this.#at] ?? ''}". Was expecting ${keyword}`)
  }

  /** `ORDERBY` is QuickBooks' own keyword; `ORDER BY` is accepted too. */
  acceptOrder(): boolean {
    if (this.accept('ORDERBY')) return true
    if (!this.accept('ORDER')) return false
    this.expect('BY')
    return true
  }

  list<T>(separator: string, item: () => T): T[] {
    const items = [item()]
    while (this.accept(separator)) items.push(item())
    return items
  }

  selection(): { count: boolean; properties: string[] | null } {
    if (this.accept('*')) return { count: false, properties: null }
    const words = this.list(',', () => this.next('a property'))
    if (words[0]?.toUpperCase() !== 'COUNT' || !this.accept('(')) return { count: false, properties: words }
    this.expect('*')
    this.expect(')')
    return { count: true, properties: null }
  }

  condition(): Condition {
    const property = this.next('a property')
    const word = this.next('an operator').toUpperCase()
    const operator = OPERATORS[word]
    if (!operator) throw new QueryError('4000', `QueryParserError: Encountered "${word}". Was expecting an operator`)
    if (operator !== 'IN') return { property, operator, values: [this.value()] }
    this.expect('(')
    const values = this.list(',', () => this.value())
    this.expect(')')
    return { property, operator, values }
  }

  ordering(): Query['order'][number] {
    const property = this.next('a property')
    const descending = this.accept('DESC')
    if (!descending) this.accept('ASC')
    return { property, descending }
  }

  number(): number {
    const token = this.next('a number')
    if (!/^\d{1,9}$/.test(token)) throw new QueryError('4000', 'QueryParserError: a number was expected')
    return Number(token)
  }

  value(): string {
    const token = this.next('a value')
    if (/^[(),*=<>]|^!=$/.test(token)) throw new QueryError('4000', `QueryParserError: Encountered "${token}". Was expecting a value`)
    return token.startsWith("'") ? token.slice(1, -1).replace(/\\(.)/g, '$1') : token
  }

  end(): void {
    const rest = this.#tokens[this.#at]
    if (rest !== undefined) throw new QueryError('4000', `QueryParserError: Encountered "${rest}" after the statement`)
  }
}
