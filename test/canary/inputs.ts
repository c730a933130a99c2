import { randomBytes, randomUUID } from 'node:crypto'

/** A JSON Schema as the documents have it. */
export type InputSchema = Readonly<Record<string, unknown>>

/** A value that occurs in one input only. */
export interface Canary {
  value: string
  /** Operation and property. */
  at: string
  isSecret: boolean
}

/** Names of inputs that nobody may see again, the sender included. */
const SECRET = /password|secret|token|recoverycode|credential|privatekey|^code$|(^|\.)keys\./i

/** Names of the keys of a source, which its document leaves open. */
const SOURCE_KEYS = ['clientId', 'clientSecret']

/** Valid texts of inputs whose form the document tells by a pattern. */
const FORMS: Readonly<Record<string, string>> = {
  country: 'CA',
  code: '000000',
  hostKey: `SHA256:${'a'.repeat(43)}`,
  host: 'files.example.com',
  endpoint: 'https://s3.example.com',
}

/** How a body is filled. */
export interface Filling {
  /** Canaries in all texts, or in secrets only, so that the rest is valid. */
  reach: 'all' | 'secrets' | 'own'
  /** Which alternative of a choice is taken. */
  choice: number
  /** The caller’s own password, for `own`. */
  password: string
}

export class Inputs {
  readonly canaries: Canary[] = []
  readonly #schemas: Readonly<Record<string, InputSchema>>

  constructor(schemas: Readonly<Record<string, InputSchema>>) {
    this.#schemas = schemas
  }

  canary(at: string, isSecret = true): string {
    const value = `canary-${randomBytes(8).toString('hex')}`
    this.canaries.push({ value, at, isSecret })
    return value
  }

  /** A value of the schema. */
  sample(schema: unknown, at: string, filling: Filling): unknown {
    if (!isSchema(schema)) return this.canary(at, SECRET.test(nameOf(at)))
    if (typeof schema.$ref === 'string') return this.sample(this.#schemas[schema.$ref.split('/').at(-1) ?? ''], at, filling)
    const choices = schema.anyOf ?? schema.oneOf
    if (Array.isArray(choices)) return this.sample(choices[filling.choice % choices.length], at, filling)
    if (schema.const !== undefined) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[filling.choice % schema.enum.length]
    if (schema.type === 'object' || isSchema(schema.properties)) return this.#object(schema, at, filling)
    if (schema.type === 'array') return [this.sample(schema.items, at, filling)]
    if (schema.type === 'integer' || schema.type === 'number') return schema.default ?? schema.minimum ?? 1
    if (schema.type === 'boolean') return schema.default ?? true
    if (schema.type === 'null') return null
    return this.#text(schema, at, filling)
  }

  /** Choice 0 has all properties, 1 the required ones, 2 and 3 besides them the secrets. */
  #object(schema: InputSchema, at: string, filling: Filling): unknown {
    const properties = isSchema(schema.properties) ? schema.properties : {}
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : []
    const taken = Object.entries(properties).filter(
      ([name]) => filling.choice === 0 || required.includes(name) || (filling.choice >= 2 && SECRET.test(name)),
    )
    const open = isSchema(schema.additionalProperties)
      ? (at.endsWith('.keys') ? SOURCE_KEYS : ['branch']).map((name) => [name, schema.additionalProperties] as const)
      : []
    return Object.fromEntries([...taken, ...open].map(([name, each]) => [name, this.sample(each, `${at}.${name}`, filling)]))
  }

  #text(schema: InputSchema, at: string, { reach, password }: Filling): string {
    const name = nameOf(at)
    const isSecret = SECRET.test(name)
    if (reach === 'own' && name === 'password') return password
    if (reach !== 'all' && (!isSecret || name in FORMS)) return FORMS[name] ?? valid(schema)
    const value = this.canary(at, isSecret)
    if (schema.format === 'email') return `${value}@example.com`
    if (schema.format === 'uri') return `https://${value}.example/${value}?key=${value}`
    return value
  }
}

function valid({ format, examples, example, minLength }: InputSchema): string {
  const [given] = Array.isArray(examples) ? examples : [example]
  if (typeof given === 'string' && format !== 'email') return given
  if (format === 'uuid') return randomUUID()
  if (format === 'email') return `${randomUUID()}@example.com`
  if (format === 'uri') return 'https://receiver.example.com/hook'
  if (format === 'date-time') return '2026-11-20T12:00:00Z'
  return 'example'.padEnd(Number(minLength ?? 0), 'x')
}

/** The name of the property within the body; all of it below `keys`. */
function nameOf(at: string): string {
  return at.includes('.keys.') ? at : (at.split('.').at(-1) ?? '')
}

function isSchema(value: unknown): value is InputSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
