import type { Document, Field, Selection, Value } from './graphql-document.ts'

/**
 * A field of the schema: its SDL type, its argument types, and its resolver; without `resolve` it is read from its
 * parent.
 */
export interface FieldType {
  type: string
  arguments?: Record<string, string>
  resolve?(parent: Record<string, unknown>, given: Record<string, unknown>): unknown
}

/** Object types by name; every other name is a scalar or an enum. */
export type Schema = Readonly<Record<string, Readonly<Record<string, FieldType>>>>

/** Thrown for a query that does not match the schema: GRAPHQL_VALIDATION_FAILED. */
export class ValidationError extends Error {}

/** Thrown by a resolver: adds an entry to `errors` and makes the field null. */
export class FieldError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface Outcome {
  data: Record<string, unknown>
  errors: { message: string; path: (string | number)[]; extensions: { code: string } }[]
}

/**
 * Runs a query: validated against the schema before execution; one failed field does not stop the others.
 * Source: https://spec.graphql.org/October2021/#sec-Execution
 */
export function runQuery(schema: Schema, document: Document, variables: Record<string, unknown>): Outcome {
  if (document.operation !== 'query') throw new ValidationError('This simulator answers queries only.')
  const run = new Run(schema, document, withDefaults(document, variables))
  run.check('Query', document.selections, 0)
  return { data: run.complete('Query', {}, document.selections, []), errors: run.errors }
}

const MOST_LEVELS = 12

class Run {
  readonly errors: Outcome['errors'] = []
  readonly #schema: Schema
  readonly #document: Document
  readonly #variables: Record<string, unknown>

  constructor(schema: Schema, document: Document, variables: Record<string, unknown>) {
    this.#schema = schema
    this.#document = document
    this.#variables = variables
  }

  check(type: string, selections: readonly Selection[], level: number): void {
    if (level > MOST_LEVELS) throw new ValidationError('The query is too deep.')
    for (const selection of selections) {
      if (selection.kind === 'spread') this.check(type, this.#selectionsOf(selection), level + 1)
      else this.#checkField(type, selection, level)
    }
  }

  #checkField(type: string, field: Field, level: number): void {
    if (field.name === '__typename') return
    const known = this.#schema[type]?.[field.name]
    if (!known) throw new ValidationError(`Cannot query field "${field.name}" on type "${type}".`)
    for (const [name, value] of Object.entries(field.arguments)) {
      if (known.arguments?.[name] === undefined) throw new ValidationError(`Unknown argument "${name}" on field "${type}.${field.name}".`)
      if (value.kind === 'variable' && !Object.hasOwn(this.#document.variables, value.name)) {
        throw new ValidationError(`Variable "$${value.name}" is not defined.`)
      }
    }
    for (const [name, wanted] of Object.entries(known.arguments ?? {})) {
      if (wanted.endsWith('!') && field.arguments[name] === undefined) {
        throw new ValidationError(`Field "${field.name}" argument "${name}" of type "${wanted}" is required.`)
      }
    }
    const named = known.type.replace(/[[\]!]/g, '')
    const isObject = this.#schema[named] !== undefined
    if (isObject !== (field.selections !== null)) {
      throw new ValidationError(
        `Field "${field.name}" of type "${known.type}" ${isObject ? 'must' : 'must not'} have a selection of subfields.`,
      )
    }
    if (field.selections) this.check(named, field.selections, level + 1)
  }

  complete(
    type: string,
    parent: Record<string, unknown>,
    selections: readonly Selection[],
    path: (string | number)[],
  ): Record<string, unknown> {
    const answer: Record<string, unknown> = {}
    for (const selection of selections) {
      if (selection.kind === 'spread') Object.assign(answer, this.complete(type, parent, this.#selectionsOf(selection), path))
      else if (this.#isWanted(selection)) answer[selection.alias] = this.#completeField(type, parent, selection, [...path, selection.alias])
    }
    return answer
  }

  #completeField(type: string, parent: Record<string, unknown>, field: Field, path: (string | number)[]): unknown {
    if (field.name === '__typename') return type
    const known = this.#schema[type]?.[field.name]
    if (!known) return null
    try {
      const given = Object.fromEntries(Object.entries(field.arguments).map(([name, value]) => [name, this.#valueOf(value)]))
      const found = known.resolve ? known.resolve(parent, given) : parent[field.name]
      return this.#completeValue(known.type.replace(/[[\]!]/g, ''), found ?? null, field, path)
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      this.errors.push({ message: error.message, path, extensions: { code: error.code } })
      return null
    }
  }

  #completeValue(type: string, found: unknown, field: Field, path: (string | number)[]): unknown {
    if (Array.isArray(found)) return found.map((item, index) => this.#completeValue(type, item, field, [...path, index]))
    if (found === null || field.selections === null || typeof found !== 'object') return found
    return this.complete(type, Object.fromEntries(Object.entries(found)), field.selections, path)
  }

  #isWanted(field: Field): boolean {
    const include = field.directives.include?.if
    const skip = field.directives.skip?.if
    return (include === undefined || this.#valueOf(include) === true) && (skip === undefined || this.#valueOf(skip) !== true)
  }

  #selectionsOf(spread: Extract<Selection, { kind: 'spread' }>): Selection[] {
    if (spread.fragment === null) return spread.selections
    const selections = this.#document.fragments[spread.fragment]
    if (!selections) throw new ValidationError(`Unknown fragment "${spread.fragment}".`)
    return selections
  }

  #valueOf(value: Value): unknown {
    if (value.kind === 'constant') return value.value
    if (value.kind === 'variable') return this.#variables[value.name]
    if (value.kind === 'list') return value.items.map((item) => this.#valueOf(item))
    return Object.fromEntries(Object.entries(value.fields).map(([name, field]) => [name, this.#valueOf(field)]))
  }
}

function withDefaults(document: Document, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(document.variables).map(([name, declared]) => {
    const value = given[name] ?? (declared.default?.kind === 'constant' ? declared.default.value : null)
    if (value === null && declared.type.endsWith('!')) {
      throw new ValidationError(`Variable "$${name}" of required type "${declared.type}" was not provided.`)
    }
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}
