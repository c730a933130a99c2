import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'

const MAX_CHOICES = 20

/** JSON Schema subset used by the profiles' schemas. */
interface Schema {
  anyOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, Schema>>
  items?: Schema
  minItems?: number
  maxItems?: number
}

/**
 * All differences between a value and a schema, each with its JSON Pointer. In a union the intended schema counts: the
 * one selected by `kind` or a similar constant, else the best match.
 */
export function listShapeFaults(schema: TSchema, value: unknown, place = ''): string[] {
  return faultsOf(schema as Schema, value, place)
}

function faultsOf(schema: Schema, value: unknown, place: string): string[] {
  if (schema.anyOf) return faultsOf(meant(schema.anyOf, value), value, place)
  if (schema.properties) return isRecord(value) ? objectFaults(schema, schema.properties, value, place) : [`${at(place)} must be an object`]
  if (schema.items) return listFaults(schema, schema.items, value, place)
  if (schema.patternProperties) return recordFaults(schema.patternProperties, value, place)
  if (Check(schema as TSchema, value)) return []
  if (schema.enum) return [`${at(place)} must be one of ${choices(schema.enum, value)}`]
  if ('const' in schema) return [`${at(place)} must be ${JSON.stringify(schema.const)}`]
  return [`${at(place)} ${Errors(schema as TSchema, value)[0]?.message ?? 'is not what is wanted'}`]
}

function objectFaults(
  schema: Schema,
  properties: Readonly<Record<string, Schema>>,
  value: Readonly<Record<string, unknown>>,
  place: string,
): string[] {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name))
  return [
    ...unknown.map((name) => `${at(below(place, name))} is not known here; known are ${Object.keys(properties).join(', ')}`),
    ...missing.map((name) => `${at(place)} has no "${name}"`),
    ...Object.entries(properties).flatMap(([name, part]) =>
      Object.hasOwn(value, name) ? faultsOf(part, value[name], below(place, name)) : [],
    ),
  ]
}

function listFaults(schema: Schema, items: Schema, value: unknown, place: string): string[] {
  if (!Array.isArray(value)) return [`${at(place)} must be a list`]
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  const isCounted = value.length >= minItems && value.length <= maxItems
  const count = isCounted ? [] : [`${at(place)} must have ${minItems} to ${maxItems} entries`]
  return [...count, ...value.flatMap((each, index) => faultsOf(items, each, below(place, String(index))))]
}

function recordFaults(patterns: Readonly<Record<string, Schema>>, value: unknown, place: string): string[] {
  if (!isRecord(value)) return [`${at(place)} must be an object`]
  return Object.entries(value).flatMap(([name, each]) => {
    const part = Object.entries(patterns).find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1]
    return part ? faultsOf(part, each, below(place, name)) : [`${at(below(place, name))} is no name for this`]
  })
}

/** Union member whose constants match; else the one with the fewest faults. */
function meant(shapes: readonly Schema[], value: unknown): Schema {
  const named = isRecord(value) ? shapes.filter((shape) => hasFittingWord(shape, value)) : []
  const sameKind = shapes.filter((shape) => kindOf(shape) === kindOf(value))
  const candidates = named.length > 0 ? named : sameKind.length > 0 ? sameKind : shapes
  const [best] = candidates.map((shape) => ({ shape, faults: faultsOf(shape, value, '').length })).sort((a, b) => a.faults - b.faults)
  return best?.shape ?? {}
}

function hasFittingWord({ properties = {} }: Schema, value: Readonly<Record<string, unknown>>): boolean {
  return ['kind', 'by'].some((name) => {
    const part = properties[name]
    if (part === undefined) return false
    return 'const' in part ? part.const === value[name] : (part.enum?.includes(value[name]) ?? false)
  })
}

function kindOf(thing: unknown): string {
  if (Array.isArray(thing)) return 'list'
  if (!isRecord(thing)) return 'value'
  if ('properties' in thing || 'patternProperties' in thing) return 'object'
  if ('items' in thing) return 'list'
  return 'type' in thing || 'const' in thing || 'enum' in thing ? 'value' : 'object'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function below(place: string, name: string): string {
  return `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function at(place: string): string {
  return place === '' ? 'the file' : place
}

/** Nearest alternatives of a long list. */
function choices(words: readonly unknown[], value: unknown): string {
  if (words.length <= MAX_CHOICES) return words.join(', ')
  const group = String(value).split('/')[0] ?? ''
  const near = words.filter((word) => String(word).startsWith(`${group}/`))
  const shown = near.length > 0 ? near : words.slice(0, MAX_CHOICES)
  return `${shown.join(', ')} and ${words.length - shown.length} others`
}
