import { existsSync } from 'node:fs'
import { asSchema, at, openBackend, problemOf, readDocument, type Schema, sharedFile } from '../../harness/openapi.ts'

/** MX's own description of its API, kept outside the repository. */
const DOCUMENT_FILE = sharedFile('specs/banking/mx-v20250224.yml')
export const SAMPLE_FILE = sharedFile('samples/banking/mx/ucw_mxVcAccountsData_decoded.json')
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)
export const HAS_SAMPLE = existsSync(SAMPLE_FILE)

export interface CheckedRequest {
  method: string
  path: string
  headers: Record<string, string>
  query: Record<string, string>
  body: unknown
}

export interface ProviderDocument {
  /** `method path` of the operation of a request; null if there is none. */
  operationOf(request: CheckedRequest): string | null
  /** Why a request does not match the document; null if it does. */
  requestProblem(request: CheckedRequest): string | null
  responseProblem(request: CheckedRequest, status: number, body: unknown): string | null
}

/** Loads the document with the named operations only (`method path`), since compiling all validators takes long. */
export async function loadProviderDocument(operations: readonly string[]): Promise<ProviderDocument> {
  const document = readDocument(DOCUMENT_FILE)
  patch(document)
  return await validateBy(document, operations)
}

/** A validator for any OpenAPI 3 document. Answers may not have undocumented properties. */
export async function validateBy(document: Schema, operations: readonly string[]): Promise<ProviderDocument> {
  const paths: Schema = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.split(' ')
    const described = at(document, ['paths', path])
    paths[path] = { ...asSchema(paths[path] ?? {}), [method]: asSchema(described[method]) }
  }
  closeSchemas(asSchema(at(document, ['components']).schemas))
  const backend = await openBackend({ ...document, paths })
  const find = (request: CheckedRequest) => backend.router.matchOperation(request)
  return {
    operationOf: (request) => {
      const found = find(request)
      return found ? `${found.method} ${found.path}` : null
    },
    requestProblem: (request) => {
      const found = find(request)
      if (!found) return 'the document has no such operation'
      return problemOf(backend.validator.validateRequest(request, found))
    },
    responseProblem: (request, status, body) => {
      const found = find(request)
      if (!found) return 'the document has no such operation'
      if (!(String(status) in asSchema(found.responses))) return `the document has no answer ${status}`
      if (body === null) return null
      return problemOf(backend.validator.validateResponse(body, found, status))
    },
  }
}

/** Fixes contradictions of the document. */
function patch(document: Schema): void {
  const schemas = at(document, ['components', 'schemas'])
  // Parts of an `allOf` cannot be closed separately.
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
