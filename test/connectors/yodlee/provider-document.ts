import { existsSync } from 'node:fs'
import { asSchema, readDocument, type Schema, sharedFile } from '../../harness/openapi.ts'
import { type ProviderDocument, validateBy } from '../mx/provider-document.ts'

/** Yodlee's own description of its API (Swagger 2), kept outside the repository. */
const DOCUMENT_FILE = sharedFile('specs/banking/yodlee-core-1.1-swagger.yaml')
export const SAMPLE_FILE = sharedFile('samples/banking/yodlee/docs_v11_accounts_savings.json')
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)
export const HAS_SAMPLE = existsSync(SAMPLE_FILE)

export async function loadProviderDocument(operations: readonly string[]): Promise<ProviderDocument> {
  return await validateBy(toOpenApi3(readDocument(DOCUMENT_FILE)), operations)
}

/**
 * Converts Swagger 2 to OpenAPI 3: locations of schemas, parameters and bodies. The required headers are only in its
 * prose.
 */
function toOpenApi3(swagger: Schema): Schema {
  const document = asSchema(moved(swagger))
  const paths = Object.fromEntries(
    Object.entries(asSchema(document.paths)).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(asSchema(operations)).map(([method, operation]) => [method, toOperation(path, asSchema(operation))]),
      ),
    ]),
  )
  const components = { schemas: asSchema(document.definitions) }
  return { openapi: '3.0.3', info: document.info, paths, components }
}

/** Moves schemas; an `example` applies to answers only, and siblings of a `$ref` are dropped. */
function moved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(moved)
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node && typeof node.$ref === 'string') return { $ref: node.$ref.replace('#/definitions/', '#/components/schemas/') }
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name, value]) => name !== 'readOnly' || typeof value !== 'boolean')
      .map(([name, value]) => [name, moved(value)]),
  )
}

function toOperation(path: string, operation: Schema): Schema {
  const given = Array.isArray(operation.parameters) ? operation.parameters.map(asSchema) : []
  const parameters = given.filter((each) => each.in === 'query' || each.in === 'path').map(toParameter)
  const responses = Object.entries(asSchema(operation.responses)).map(([status, response]) => {
    const { schema, ...rest } = asSchema(response)
    return [status, schema === undefined ? rest : { ...rest, content: { 'application/json': { schema } } }]
  })
  return {
    operationId: operation.operationId,
    parameters: [...parameters, ...headersOf(path)],
    responses: Object.fromEntries(responses),
    ...toBody(given),
  }
}

function toParameter({ name, in: place, required, type, format }: Schema): Schema {
  return { name, in: place, required: required === true, schema: { type, ...(format === undefined ? {} : { format }) } }
}

function headersOf(path: string): Schema[] {
  const named = ['Api-Version', path === '/auth/token' ? 'loginName' : 'Authorization']
  return named.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } }))
}

function toBody(parameters: readonly Schema[]): Schema {
  const body = parameters.find((each) => each.in === 'body')
  if (body) return { requestBody: { required: true, content: { 'application/json': { schema: body.schema } } } }
  const form = parameters.filter((each) => each.in === 'formData')
  if (form.length === 0) return {}
  const properties = Object.fromEntries(form.map(({ name, type }) => [String(name), { type }]))
  const schema = { type: 'object', properties, additionalProperties: false, required: Object.keys(properties) }
  return { requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema } } } }
}
