/** A value in the query text; variables are resolved at execution. */
export type Value =
  | { kind: 'constant'; value: string | number | boolean | null }
  | { kind: 'variable'; name: string }
  | { kind: 'list'; items: Value[] }
  | { kind: 'object'; fields: Record<string, Value> }

export interface Field {
  kind: 'field'
  name: string
  /** Name in the answer. */
  alias: string
  arguments: Record<string, Value>
  directives: Record<string, Record<string, Value>>
  selections: Selection[] | null
}

export interface Spread {
  kind: 'spread'
  /** Null for an inline fragment, which has its selections here. */
  fragment: string | null
  selections: Selection[]
}

export type Selection = Field | Spread

export interface Document {
  operation: string
  /** Variables by name: their type as written, and the default. */
  variables: Record<string, { type: string; default: Value | null }>
  selections: Selection[]
  fragments: Record<string, Selection[]>
}

/** Thrown for a document that cannot be executed: GRAPHQL_PARSE_FAILED. */
export class DocumentError extends Error {}

const TOKEN =
  /[\s,\uFEFF]+|#[^\n]*|\.\.\.|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|[!$():=@[\]{|}&]/y

/**
 * Parses one operation with its fragments. Source: https://spec.graphql.org/October2021/#sec-Appendix-Grammar-Summary
 */
export function parseDocument(text: string): Document {
  return new Parser(tokensOf(text)).document()
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  let at = 0
  while (at < text.length) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[0]
    if (token === undefined) throw new DocumentError(`Syntax Error: Unexpected character at ${at}.`)
    at += token.length
    if (!/^[\s,\uFEFF#]/.test(token)) tokens.push(token)
  }
  return tokens
}

class Parser {
  readonly #tokens: string[]
  #at = 0

  constructor(tokens: string[]) {
    this.#tokens = tokens
  }

  document(): Document {
    const document: Document = { operation: '', variables: {}, selections: [], fragments: {} }
    while (this.#peek() !== '') {
      if (this.#peek() === 'fragment') {
        this.#next()
        const name = this.#name()
        this.#expect('on')
        this.#name()
        document.fragments[name] = this.#selections()
        continue
      }
      if (document.operation !== '') throw new DocumentError('Syntax Error: only one operation can be run.')
      document.operation = this.#peek() === '{' ? 'query' : this.#name()
      if (this.#peek() !== '{' && this.#peek() !== '(') this.#name()
      document.variables = this.#peek() === '(' ? this.#variables() : {}
      document.selections = this.#selections()
    }
    if (document.operation === '') throw new DocumentError('Syntax Error: Unexpected <EOF>.')
    return document
  }

  #variables(): Document['variables'] {
    const variables: Document['variables'] = {}
    this.#expect('(')
    while (this.#peek() !== ')') {
      this.#expect('$')
      const name = this.#name()
      this.#expect(':')
      const type = this.#type()
      const hasDefault = this.#peek() === '='
      if (hasDefault) this.#next()
      variables[name] = { type, default: hasDefault ? this.#value() : null }
    }
    this.#next()
    return variables
  }

  #type(): string {
    let type: string
    if (this.#peek() === '[') {
      this.#next()
      type = `[${this.#type()}]`
      this.#expect(']')
    } else type = this.#name()
    if (this.#peek() !== '!') return type
    this.#next()
    return `${type}!`
  }

  #selections(): Selection[] {
    const selections: Selection[] = []
    this.#expect('{')
    while (this.#peek() !== '}') selections.push(this.#peek() === '...' ? this.#spread() : this.#field())
    this.#next()
    if (selections.length === 0) throw new DocumentError('Syntax Error: Expected Name, found "}".')
    return selections
  }

  #spread(): Spread {
    this.#expect('...')
    if (this.#peek() !== 'on' && this.#peek() !== '{') return { kind: 'spread', fragment: this.#name(), selections: [] }
    if (this.#peek() === 'on') {
      this.#next()
      this.#name()
    }
    return { kind: 'spread', fragment: null, selections: this.#selections() }
  }

  #field(): Field {
    const first = this.#name()
    const hasAlias = this.#peek() === ':'
    if (hasAlias) this.#next()
    const name = hasAlias ? this.#name() : first
    const given = this.#peek() === '(' ? this.#arguments() : {}
    const directives: Field['directives'] = {}
    while (this.#peek() === '@') {
      this.#next()
      directives[this.#name()] = this.#peek() === '(' ? this.#arguments() : {}
    }
    return { kind: 'field', name, alias: first, arguments: given, directives, selections: this.#peek() === '{' ? this.#selections() : null }
  }

  #arguments(): Record<string, Value> {
    this.#expect('(')
    return this.#pairs(')')
  }

  #pairs(end: string): Record<string, Value> {
    const pairs: Record<string, Value> = {}
    while (this.#peek() !== end) {
      const name = this.#name()
      this.#expect(':')
      pairs[name] = this.#value()
    }
    this.#next()
    return pairs
  }

  #value(): Value {
    const token = this.#next()
    if (token === '$') return { kind: 'variable', name: this.#name() }
    if (token === '{') return { kind: 'object', fields: this.#pairs('}') }
    if (token === '[') {
      const items: Value[] = []
      while (this.#peek() !== ']') items.push(this.#value())
      this.#next()
      return { kind: 'list', items }
    }
    if (token.startsWith('"')) return { kind: 'constant', value: token.replace(/^"+|"+$/g, '').replace(/\\(.)/g, '$1') }
    if (/^-?\d/.test(token)) return { kind: 'constant', value: Number(token) }
    if (token === 'true' || token === 'false') return { kind: 'constant', value: token === 'true' }
    if (token === 'null') return { kind: 'constant', value: null }
    if (/^[A-Za-z_]/.test(token)) return { kind: 'constant', value: token }
    throw new DocumentError(`Syntax Error: Unexpected "${token}".`)
  }

  #name(): string {
    const token = this.#next()
    if (!/^[A-Za-z_]\w*$/.test(token)) throw new DocumentError(`Syntax Error: Expected Name, found "${token || '<EOF>'}".`)
    return token
  }

  #expect(token: string): void {
    const found = this.#next()
    if (found !== token) throw new DocumentError(`Syntax Error: Expected "${token}", found "${found || '<EOF>'}".`)
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #next(): string {
    const token = this.#tokens[this.#at] ?? ''
    if (token === '') throw new DocumentError('Syntax Error: Unexpected <EOF>.')
    this.#at += 1
    return token
  }
}
