import type { Example } from '../../api/reference/reference-examples.ts'
import { type Media, type Parameter, type SchemaPart, toSchemaPart } from '../../api/reference/reference-schema.ts'

/** The body's own example, or one composed from its schema. */
export function exampleOfBody(media: Media): unknown {
  if (media.example !== undefined) return media.example
  const [named] = Object.values(media.examples ?? {})
  return named?.value ?? exampleOfSchema(media.schema ?? {})
}

/** A value of the parameter; in words its name in angle brackets, to be replaced. */
export function exampleOfParameter({ name, schema, example }: Parameter): unknown {
  if (example !== undefined) return example
  const own = exampleOfSchema(schema)
  return own === TEXT ? `<${name}>` : own
}

/** What a running deployment answered, as lines; null where there is nothing to show. */
export function answerOf(example: Example | undefined): { status: number; text: string } | null {
  if (example?.answer === undefined || example.type !== 'application/json') return null
  return { status: example.status, text: JSON.stringify(example.answer, null, 2) }
}

const TEXT = '<text>'

/** The schema's own example, or one composed of those of its required properties. */
function exampleOfSchema(schema: SchemaPart): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum && schema.enum.length > 0) return schema.enum[0]
  if (schema.anyOf) return exampleOfSchema(toSchemaPart(schema.anyOf[0]))
  if (schema.properties) {
    const required = new Set(schema.required)
    const entries = Object.entries(schema.properties).filter(([name]) => required.has(name))
    return Object.fromEntries(entries.map(([name, value]) => [name, exampleOfSchema(toSchemaPart(value))]))
  }
  if (schema.items !== undefined) return [exampleOfSchema(toSchemaPart(schema.items))]
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1
  if (types.includes('boolean')) return true
  return types.includes('object') ? {} : TEXT
}
