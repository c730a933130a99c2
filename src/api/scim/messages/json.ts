import { invalidSyntax, invalidValue } from './scim-error.ts'

/** JSON object of a request, by its own names. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Of one object; far more than any resource has. */
const MAX_ATTRIBUTES = 1_000

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The body of a request, with the schema that it must name. Throws a 400. */
export function readMessage(body: unknown, schema: string): Attributes {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const attributes = new Attributes(body)
  const schemas = attributes.get('schemas')
  const isNamed = Array.isArray(schemas) && schemas.some((each) => typeof each === 'string' && each.toLowerCase() === schema.toLowerCase())
  if (!isNamed) throw invalidSyntax(`schemas must contain ${schema}.`)
  return attributes
}

/**
 * Attributes of an object, found without regard to capitals; null and an empty list count as absent. An attribute given
 * twice in different capitals is refused. Source: https://www.rfc-editor.org/rfc/rfc7643#section-2.1
 */
export class Attributes {
  readonly #values = new Map<string, unknown>()

  constructor(object: JsonObject) {
    const entries = Object.entries(object)
    if (entries.length > MAX_ATTRIBUTES) throw invalidSyntax(`An object has more than ${MAX_ATTRIBUTES} attributes.`)
    for (const [name, value] of entries) {
      const key = name.toLowerCase()
      if (this.#values.has(key)) throw invalidSyntax(`${name.slice(0, 100)} is given twice.`)
      this.#values.set(key, value)
    }
  }

  /** Undefined if it is absent. `name` in lower case. */
  get(name: string): unknown {
    const value = this.#values.get(name)
    return value === null || (Array.isArray(value) && value.length === 0) ? undefined : value
  }

  text(name: string, shown: string, maxLength: number): string | undefined {
    const value = this.get(name)
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw invalidValue(`${shown} must be a text.`)
    if (value.length > maxLength) throw invalidValue(`${shown} has more than ${maxLength} characters.`)
    if (!value.isWellFormed() || value.includes('\0')) throw invalidValue(`${shown} holds a character that is not allowed.`)
    return value
  }

  /** Entra ID writes truth values as texts too. */
  truth(name: string, shown: string): boolean | undefined {
    const value = this.get(name)
    if (value === undefined || typeof value === 'boolean') return value
    const text = typeof value === 'string' ? value.toLowerCase() : ''
    if (text !== 'true' && text !== 'false') throw invalidValue(`${shown} must be true or false.`)
    return text === 'true'
  }

  /** A list, or one value in its place. */
  list(name: string, shown: string, most: number): unknown[] {
    const value = this.get(name)
    if (value === undefined) return []
    const list: unknown[] = Array.isArray(value) ? value : [value]
    if (list.length > most) throw invalidValue(`${shown} has more than ${most} values.`)
    return list
  }
}
