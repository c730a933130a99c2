import type { Media, Operation, SchemaPart } from './reference-schema.ts'
import { toSchemaPart } from './reference-schema.ts'

/** curl command of the operation; `$TOKEN` and words in `<…>` are placeholders. */
export function curlOf(base: string, path: string, method: string, operation: Operation): string {
  const address = `${base}${path.replace(/\{(\w+)\}/g, (_match, name: string) => `<${name}>`)}`
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(address)}`]
  if (operation.security?.length !== 0 || operation.operationId === 'completeLogin') lines.push('-H "Authorization: Bearer $TOKEN"')
  const media = operation.requestBody?.content['application/json']
  if (media) lines.push('-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(exampleOf(media)))}`)
  return lines.join(' \\\n  ')
}

/** Quoting for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function exampleOf(media: Media): unknown {
  if (media.example !== undefined) return media.example
  const [named] = Object.values(media.examples ?? {})
  return named?.value ?? exampleOfSchema(media.schema ?? {})
}

/** The schema's own example, or one composed of those of its required properties. */
function exampleOfSchema(schema: SchemaPart): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if (schema.enum && schema.enum.length > 0) return schema.enum[0]
  if (schema.properties) {
    const required = new Set(schema.required)
    const entries = Object.entries(schema.properties).filter(([name]) => required.has(name))
    return Object.fromEntries(entries.map(([name, value]) => [name, exampleOfSchema(toSchemaPart(value))]))
  }
  if (schema.items !== undefined) return [exampleOfSchema(toSchemaPart(schema.items))]
  if (schema.anyOf) return exampleOfSchema(toSchemaPart(schema.anyOf[0]))
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  return schema.type === 'boolean' ? true : '<text>'
}
