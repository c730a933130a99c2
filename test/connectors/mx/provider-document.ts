import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import addFormats from 'ajv-formats'
import { OpenAPIBackend } from 'openapi-backend'
import { parse } from 'yaml'

/** MX's own description of its API, kept beside the checkout. */
const DOCUMENT_FILE = fileURLToPath(new URL('../../../../shared/specs/banking/mx-v20250224.yml', import.meta.url))
export const SAMPLE_FILE = fileURLToPath(
  new URL('../../../../shared/samples/banking/mx/ucw_mxVcAccountsData_decoded.json', import.meta.url),
)
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)
export const HAS_SAMPLE = existsSync(SAMPLE_FILE)

export interface Schema {
  [key: string]: unknown
}

export interface CheckedRequest {
  method: string
  path: string
  headers: Record<string, string>
  query: Record<string, string>
  body: unknown
}

export interface ProviderDocument {
  /** `method path` of the operation that takes a request; null when there is none. */
  operationOf(request: CheckedRequest): string | null
  /** Why a request is not one; null when it is. */
  requestProblem(request: CheckedRequest): string | null
  responseProblem(request: CheckedRequest, status: number, body: unknown): string | null
}

/** Loads the document with the named operations only (`method path`): validators for all would take long. */
export async function loadProviderDocument(operations: readonly string[]): Promise<ProviderDocument> {
  const document = asSchema(parse(readFileSync(DOCUMENT_FILE, 'utf8')))
  patch(document)
  return await validateBy(document, operations)
}

/** A judge over any OpenAPI 3 document. Answers may hold no property that the document does not know. */
export async function validateBy(document: Schema, operations: readonly string[]): Promise<ProviderDocument> {
  const paths: Schema = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.split(' ')
    const described = at(document, ['paths', path])
    paths[path] = { ...asSchema(paths[path] ?? {}), [method]: asSchema(described[method]) }
  }
  closeSchemas(asSchema(at(document, ['components']).schemas))
  const backend = new OpenAPIBackend({
    definition: JSON.parse(JSON.stringify({ ...document, paths })),
    quick: true,
    strict: false,
    validate: true,
    ajvOpts: { strict: false, allErrors: false },
    customizeAjv: (ajv) => addFormats.default(ajv),
  })
  await backend.init()
  const find = (request: CheckedRequest) => backend.router.matchOperation(request)
  return {
    operationOf: (request) => {
      const found = find(request)
      return found ? `${found.method} ${found.path}` : null
    },
    requestProblem: (request) => {
      const found = find(request)
      if (!found) return 'the document has no such operation'
      const result = backend.validator.validateRequest(request, found)
      return result.valid ? null : JSON.stringify(result.errors)
    },
    responseProblem: (request, status, body) => {
      const found = find(request)
      if (!found) return 'the document has no such operation'
      if (!(String(status) in asSchema(found.responses))) return `the document has no answer ${status}`
      if (body === null) return null
      const result = backend.validator.validateResponse(body, found, status)
      return result.valid ? null : JSON.stringify(result.errors)
    },
  }
}

/** Where the document contradicts itself. */
function patch(document: Schema): void {
  const schemas = at(document, ['components', 'schemas'])
  // What is joined cannot be closed part by part.
  const transaction = at(schemas, ['TransactionIncludesResponse'])
  const parts = transaction.allOf
  if (Array.isArray(parts)) {
    const properties = Object.assign(
      {},
      at(schemas, ['TransactionResponse']).properties,
      ...parts.map((part) => asSchema(part).properties ?? {}),
    )
    schemas.TransactionIncludesResponse = { type: 'object', properties }
  }
}

function closeSchemas(schemas: Schema): void {
  for (const schema of Object.values(schemas).map(asSchema)) {
    if (schema.properties && !schema.allOf) schema.additionalProperties ??= false
  }
}

function at(root: Schema, keys: readonly string[]): Schema {
  return keys.reduce((node, key) => asSchema(node[key]), root)
}

export function asSchema(value: unknown): Schema {
  if (typeof value === 'object' && value !== null) return value as Schema
  throw new Error('the document is not as expected')
}
