import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import addFormats from 'ajv-formats'
import { OpenAPIBackend } from 'openapi-backend'
import { parse } from 'yaml'

const FOLDER = fileURLToPath(new URL('../../../../shared/specs/accounting/', import.meta.url))
export const HAS_DOCUMENTS = existsSync(FOLDER)

/** A call as it went over the wire; the path is relative to the document's server. */
export interface Call {
  method: string
  path: string
  query: string
  headers: Record<string, string>
}

export interface ProviderDocument {
  /** Why a request is not one of the document; null when it is. */
  requestProblem(call: Call): string | null
  /** Why an answer is not what the document says for the call; null when it is. */
  responseProblem(call: Call, status: number, body: unknown): string | null
}

interface Schema {
  [key: string]: unknown
}

/** Loads a document and keeps the named paths: validators for all of them would take minutes. `patch` mends what ajv cannot take. */
export async function loadProviderDocument(
  file: string,
  paths: readonly string[],
  patch: (document: Schema) => void = () => {},
): Promise<ProviderDocument> {
  const document = asSchema(parse(readFileSync(`${FOLDER}${file}`, 'utf8')))
  document.paths = Object.fromEntries(paths.map((path) => [path, asSchema(asSchema(document.paths)[path])]))
  document.servers = []
  patch(document)
  const backend = new OpenAPIBackend({
    definition: JSON.parse(JSON.stringify(document)),
    quick: true,
    strict: false,
    validate: true,
    ajvOpts: { strict: false, allErrors: true },
    customizeAjv: (ajv) => {
      addFormats.default(ajv)
      return ajv
    },
  })
  await backend.init()
  const operationOf = ({ method, path, query, headers }: Call) => {
    const operation = backend.router.matchOperation({ method: method.toLowerCase(), path, query, headers })
    if (!operation) throw new Error(`the document has no ${method} ${path}`)
    return operation
  }
  return {
    requestProblem: (call) => {
      const result = backend.validator.validateRequest({ ...call, method: call.method.toLowerCase() }, operationOf(call))
      return result.valid ? null : JSON.stringify(result.errors)
    },
    responseProblem: (call, status, body) => {
      const result = backend.validator.validateResponse(body, operationOf(call), status)
      return result.valid ? null : JSON.stringify(result.errors)
    },
  }
}

function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object of the document')
  return value as Schema
}
