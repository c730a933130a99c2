import { existsSync, readFileSync } from 'node:fs'
import { openBackend } from '../../harness/openapi.ts'

const FOLDER = new URL('../../../../shared/specs/banking/', import.meta.url)
const NAMES = ['clients', 'deposit_accounts', 'deposit_transactions', 'loans'] as const
export const HAS_DOCUMENTS = NAMES.every((name) => existsSync(fileOf(name)))

type Node = { [key: string]: unknown }

export interface MambuDocuments {
  /** Whether any document describes the path. */
  knows(path: string): boolean
  requestProblem(call: { path: string; query: string; headers: Record<string, string> }): string | null
  responseProblem(call: { path: string; status: number; body: unknown; headers: Record<string, string> }): string | null
}

function fileOf(name: string): URL {
  return new URL(`mambu-${name}_v2_swagger.json`, FOLDER)
}

/** Mambu's own documents, kept outside the repository: only the reads, converted from Swagger 2.0 to OpenAPI 3.0. */
export async function loadDocuments(): Promise<MambuDocuments> {
  const backends = await Promise.all(NAMES.map((name) => openBackend(toOpenApi(JSON.parse(readFileSync(fileOf(name), 'utf8')) as Node))))
  const find = (path: string) => {
    for (const backend of backends) {
      const operation = backend.router.matchOperation({ method: 'get', path, headers: {} })
      if (operation) return { backend, operation }
    }
    return null
  }
  const need = (path: string) => {
    const found = find(path)
    if (!found) throw new Error(`no document has ${path}`)
    return found
  }
  return {
    knows: (path) => find(path) !== null,
    requestProblem: ({ path, query, headers }) => {
      const { backend, operation } = need(path)
      const { valid, errors } = backend.validator.validateRequest({ method: 'get', path, query, headers }, operation)
      const known = new Set((operation.parameters ?? []).flatMap((each) => ('name' in each && each.in === 'query' ? [each.name] : [])))
      const unknown = [...new URLSearchParams(query).keys()].filter((name) => !known.has(name))
      return valid && unknown.length === 0 ? null : JSON.stringify({ path, errors, unknown })
    },
    responseProblem: ({ path, status, body, headers }) => {
      const { backend, operation } = need(path)
      if (!operation.responses?.[String(status)]) return `${path} answers no ${status}`
      const { valid, errors } = backend.validator.validateResponse(body, operation, status)
      const paging = Object.keys((operation.responses[String(status)] as { headers?: Node } | undefined)?.headers ?? {})
      const missing = status === 200 ? paging.filter((name) => headers[name.toLowerCase()] === undefined) : []
      return valid && missing.length === 0 ? null : JSON.stringify({ path, errors, missing })
    },
  }
}

/** Converts the reads of a Swagger 2.0 document to OpenAPI 3.0: parameters and answers get a schema each. */
function toOpenApi(swagger: Node) {
  const reads = Object.entries(swagger.paths as Record<string, { get?: Node }>).filter(([, { get }]) => get !== undefined)
  const paths = Object.fromEntries(reads.map(([path, { get }]) => [`${swagger.basePath}${path}`, { get: toOperation(get ?? {}) }]))
  const text = JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Mambu', version: '2' },
    paths,
    components: { schemas: swagger.definitions },
  })
  return JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/'))
}

function toOperation(operation: Node): Node {
  const parameters = (operation.parameters as Node[]).map(({ name, in: place, required, type, format, enum: words, items }) => ({
    name,
    in: place,
    required,
    schema: { type, format, enum: words, items },
  }))
  const responses = Object.entries(operation.responses as Record<string, Node>).map(([status, { schema, headers, description }]) => [
    status,
    { description, headers, content: { 'application/vnd.mambu.v2+json': { schema } } },
  ])
  return { operationId: operation.operationId, parameters, responses: Object.fromEntries(responses) }
}
