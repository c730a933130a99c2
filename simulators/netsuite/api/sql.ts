/** Thrown for a query that SuiteQL refuses; the message is in NetSuite's wording. */
export class SqlError extends Error {}

export interface Column {
  /** Table alias, if given. */
  table: string | null
  name: string
}

export type Selected =
  | { kind: 'column'; column: Column; as: string }
  /** `BUILTIN.DF(column)`: the display name of the value. */
  | { kind: 'display'; column: Column; as: string }
  /** `TO_CHAR(column, 'format')` of a day. */
  | { kind: 'text'; column: Column; as: string }
  | { kind: 'count'; as: string }

export type Condition =
  | { kind: 'compare'; column: Column; operator: string; value: string | number }
  | { kind: 'null'; column: Column; isNull: boolean }
  | { kind: 'in'; column: Column; values: (string | number)[] }
  | { kind: 'or'; conditions: Condition[] }
  | { kind: 'and'; conditions: Condition[] }

export interface Join {
  table: string
  alias: string
  /** Keeps rows without a match. */
  isOuter: boolean
  on: { left: Column; right: Column }[]
}

export interface Select {
  columns: Selected[]
  table: string
  alias: string
  joins: Join[]
  where: Condition | null
  order: { column: Column; descending: boolean }[]
}

/**
 * Parses the subset of SuiteQL needed to read the books: joins on equal columns, comparisons, ORDER BY. Throws
 * `SqlError` for anything else.
 */
export function parseSql(text: string): Select {
  const parser = new Parser(tokenize(text))
  const select = parser.select()
  parser.end()
  return select
}

interface Token {
  kind: 'word' | 'number' | 'string' | 'sign'
  text: string
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = /\s*(?:([A-Za-z_][\w$]*)|(-?\d+(?:\.\d+)?)|'((?:[^']|'')*)'|(<>|!=|<=|>=|[=<>(),.*]))/y
  let at = 0
  while (at < text.trimEnd().length) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) throw new SqlError(`Invalid or unsupported search near position ${at}`)
    at = pattern.lastIndex
    const [, word, number, string, sign] = match
    if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (string !== undefined) tokens.push({ kind: 'string', text: string.replaceAll("''", "'") })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  select(): Select {
    this.#need('SELECT')
    const columns = this.#list(() => this.#selected())
    this.#need('FROM')
    const { table, alias } = this.#table()
    const joins: Join[] = []
    for (let join = this.#join(); join !== null; join = this.#join()) joins.push(join)
    const where = this.#take('WHERE') ? this.#disjunction() : null
    const order = this.#take('ORDER') ? this.#order() : []
    return { columns, table, alias, joins, where, order }
  }

  end(): void {
    const rest = this.#tokens[this.#at]
    if (rest) throw new SqlError(`Invalid or unsupported search near "${rest.text}"`)
  }

  #selected(): Selected {
    if (this.#take('COUNT')) {
      for (const sign of ['(', '*', ')']) this.#need(sign)
      return { kind: 'count', as: this.#alias('expr1') }
    }
    if (this.#take('TO_CHAR')) {
      this.#need('(')
      const column = this.#column()
      this.#need(',')
      if (this.#value() !== 'YYYY-MM-DD') throw new SqlError('Invalid or unsupported search: TO_CHAR')
      this.#need(')')
      return { kind: 'text', column, as: this.#alias('expr1') }
    }
    if (this.#take('BUILTIN')) {
      for (const sign of ['.', 'DF', '(']) this.#need(sign)
      const column = this.#column()
      this.#need(')')
      return { kind: 'display', column, as: this.#alias('expr1') }
    }
    const column = this.#column()
    return { kind: 'column', column, as: this.#alias(column.name) }
  }

  #join(): Join | null {
    const isOuter = this.#take('LEFT')
    if (isOuter) this.#take('OUTER')
    const isInner = !isOuter && this.#take('INNER')
    if (!this.#take('JOIN')) {
      if (isOuter || isInner) throw new SqlError('Invalid or unsupported search: JOIN')
      return null
    }
    const { table, alias } = this.#table()
    this.#need('ON')
    const on: Join['on'] = []
    do {
      const left = this.#column()
      this.#need('=')
      on.push({ left, right: this.#column() })
    } while (this.#take('AND'))
    return { table, alias, isOuter, on }
  }

  #disjunction(): Condition {
    const conditions = [this.#conjunction()]
    while (this.#take('OR')) conditions.push(this.#conjunction())
    return { kind: 'or', conditions }
  }

  #conjunction(): Condition {
    const conditions = [this.#condition()]
    while (this.#take('AND')) conditions.push(this.#condition())
    return { kind: 'and', conditions }
  }

  #condition(): Condition {
    if (this.#take('(')) {
      const inner = this.#disjunction()
      this.#need(')')
      return inner
    }
    const column = this.#column()
    if (this.#take('IS')) {
      const isNull = !this.#take('NOT')
      this.#need('NULL')
      return { kind: 'null', column, isNull }
    }
    if (this.#take('IN')) {
      this.#need('(')
      const values = this.#list(() => this.#value())
      this.#need(')')
      return { kind: 'in', column, values }
    }
    const operator = this.#next().text
    if (!['=', '<>', '!=', '<', '>', '<=', '>='].includes(operator)) throw new SqlError(`Invalid or unsupported search near "${operator}"`)
    return { kind: 'compare', column, operator, value: this.#value() }
  }

  #order(): Select['order'] {
    this.#need('BY')
    return this.#list(() => {
      const column = this.#column()
      const descending = this.#take('DESC')
      if (!descending) this.#take('ASC')
      return { column, descending }
    })
  }

  /** A number, a text, or a day as `TO_DATE('2026-11-01', 'YYYY-MM-DD')`. */
  #value(): string | number {
    if (this.#take('TO_DATE')) {
      this.#need('(')
      const day = this.#value()
      this.#need(',')
      this.#value()
      this.#need(')')
      return day
    }
    const token = this.#next()
    if (token.kind === 'number') return Number(token.text)
    if (token.kind === 'string') return token.text
    throw new SqlError(`Invalid or unsupported search near "${token.text}"`)
  }

  #column(): Column {
    const first = this.#word()
    return this.#take('.') ? { table: first.toLowerCase(), name: this.#word().toLowerCase() } : { table: null, name: first.toLowerCase() }
  }

  #table(): { table: string; alias: string } {
    const table = this.#word().toLowerCase()
    const next = this.#tokens[this.#at]
    const isAlias = next?.kind === 'word' && !/^(INNER|LEFT|JOIN|WHERE|ORDER|ON)$/i.test(next.text)
    return { table, alias: isAlias ? this.#word().toLowerCase() : table }
  }

  #alias(name: string): string {
    return this.#take('AS') ? this.#word().toLowerCase() : name
  }

  #list<T>(read: () => T): T[] {
    const items = [read()]
    while (this.#take(',')) items.push(read())
    return items
  }

  #word(): string {
    const token = this.#next()
    if (token.kind !== 'word') throw new SqlError(`Invalid or unsupported search near "${token.text}"`)
    return token.text
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#at]
    const isIt = token !== undefined && token.kind !== 'string' && token.text.toUpperCase() === text
    if (isIt) this.#at += 1
    return isIt
  }

  #need(text: string): void {
    if (!this.#take(text)) throw new SqlError(`Invalid or unsupported search: expected ${text}`)
  }

  #next(): Token {
    const token = this.#tokens[this.#at]
    if (!token) throw new SqlError('Invalid or unsupported search: it ends too early')
    this.#at += 1
    return token
  }
}
