import { existsSync } from 'node:fs'
import { asSchema, openBackend, problemOf, readDocument, type Schema, sharedFile } from '../../harness/openapi.ts'

const FOLDER = sharedFile('specs/accounting/')
export const HAS_DOCUMENTS = existsSync(FOLDER)

/** An HTTP call; the path is relative to the document's server. */
export interface Call {
  method: string
  path: string
  query: string
  headers: Record<string, string>
}

export interface ProviderDocument {
  /** Why a request does not match the document; null if it does. */
  requestProblem(call: Call): string | null
  /** Why an answer does not match the document; null if it does. */
  responseProblem(call: Call, status: number, body: unknown): string | null
}

/**
 * Loads a document and keeps the named paths: compiling validators for all of them would take minutes. `patch` fixes
 * what ajv cannot process.
 */
export async function loadProviderDocument(
  file: string,
  paths: readonly string[],
  patch: (document: Schema) => void = () => {},
): Promise<ProviderDocument> {
  const document = readDocument(`${FOLDER}${file}`)
  document.paths = Object.fromEntries(paths.map((path) => [path, asSchema(asSchema(document.paths)[path])]))
  document.servers = []
  patch(document)
  const backend = await openBackend(document, { allErrors: true })
  const operationOf = ({ method, path, query, headers }: Call) => {
    const operation = backend.router.matchOperation({ method: method.toLowerCase(), path, query, headers })
    if (!operation) throw new Error(`the document has no ${method} ${path}`)
    return operation
  }
  return {
    requestProblem: (call) => {
      return problemOf(backend.validator.validateRequest({ ...call, method: call.method.toLowerCase() }, operationOf(call)))
    },
    responseProblem: (call, status, body) => {
      return problemOf(backend.validator.validateResponse(body, operationOf(call), status))
    },
  }
}
