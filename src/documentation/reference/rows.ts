import { type SchemaPart, toSchemaPart } from '../../api/reference/reference-schema.ts'

/** Property or parameter, as a row of a table. */
export interface Row {
  name: string
  required: boolean
  schema: SchemaPart
}

/** Properties of an object, followed by those of nested objects and lists: `data[].id`. */
export function rowsOf(schema: SchemaPart, prefix = ''): Row[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const property = toSchemaPart(value)
    const inner = property.items === undefined ? property : toSchemaPart(property.items)
    const path = `${prefix}${name}`
    return [
      { name: path, required: required.has(name), schema: property },
      ...rowsOf(inner, property.items === undefined ? `${path}.` : `${path}[].`),
    ]
  })
}

export function kindOf(schema: SchemaPart): string {
  if (schema.anyOf) return schema.anyOf.map((part) => kindOf(toSchemaPart(part))).join(' or ')
  if (schema.items !== undefined) return `list of ${kindOf(toSchemaPart(schema.items))}`
  if (schema.enum) return 'word'
  return schema.format ?? (typeof schema.type === 'string' ? schema.type : 'any')
}

export function limitsOf(schema: SchemaPart): string {
  const parts: string[] = []
  if (schema.enum) parts.push(`One of ${schema.enum.map(String).join(', ')}.`)
  if (schema.minimum !== undefined && schema.maximum !== undefined) parts.push(`${schema.minimum} to ${schema.maximum}.`)
  if (schema.maxLength !== undefined) parts.push(`At most ${schema.maxLength} characters.`)
  if (schema.default !== undefined) parts.push(`Default ${String(schema.default)}.`)
  return parts.join(' ')
}
