import { existsSync } from 'node:fs'
import { Ajv } from 'ajv'
import { asSchema, openBackend, problemOf, readDocument, type Schema, sharedFile } from '../../harness/openapi.ts'

/** Sage's own descriptions of its API (Swagger 2.0), kept outside the repository. */
const FILES = ['sage-accounting-v3.1.2026-04.swagger2.json', 'sage-user-business.json'].map((name) =>
  sharedFile(`specs/accounting/${name}`),
)
export const HAS_DOCUMENT = FILES.every((file) => existsSync(file))

export interface ProviderDocument {
  /** Why a GET below /v3.1 does not match the document; null if it does. An unknown parameter is a problem. */
  requestProblem(path: string, query: Record<string, string>): string | null
  /**
   * Why a body does not match the document for status 200; null if it does. A list is taken out of its envelope first.
   */
  responseProblem(path: string, body: unknown): string | null
}

/** Loads both documents and keeps the named operations: compiling validators for all 162 paths would take minutes. */
export async function loadProviderDocument(paths: readonly string[]): Promise<ProviderDocument> {
  const documents = FILES.map((file) => readDocument(file))
  const known = Object.assign({}, ...documents.map(({ paths: each }) => each))
  const definitions = Object.assign({}, ...documents.map((each) => each.definitions))
  const definition = {
    openapi: '3.0.3',
    info: { title: 'Sage Accounting', version: '3.1' },
    paths: Object.fromEntries(paths.map((path) => [path, { get: toOperation(path, asSchema(asSchema(known[path]).get)) }])),
    components: { schemas: rewrite(definitions) },
  }
  const backend = await openBackend(definition, { coerceTypes: true })
  const isEnvelope = envelopeValidator()
  return {
    requestProblem: (path, query) => {
      const operation = backend.router.getOperations().find((entry) => entry.path === path)
      if (!operation) return `the document has no ${path}`
      const allowed = (operation.parameters ?? []).map((parameter) => Object(parameter).name)
      const unknown = Object.keys(query).find((name) => !allowed.includes(name))
      if (unknown) return `the document has no parameter ${unknown}`
      return problemOf(backend.validator.validateRequest({ method: 'get', path, headers: {}, query }, operation))
    },
    responseProblem: (path, body) => {
      const operation = backend.router.getOperations().find((entry) => entry.path === path)
      if (!operation) return `the document has no ${path}`
      const isList = Array.isArray(body) || '$items' in Object(body)
      if (isList && !isEnvelope(body)) return JSON.stringify(isEnvelope.errors)
      return problemOf(backend.validator.validateResponse(isList ? Object(body).$items : body, operation, 200))
    },
  }
}

/**
 * The envelope is described in Sage's guides, not in the Swagger document.
 * Source: https://developer.sage.com/accounting/guides/concepts/best_practices/
 */
function envelopeValidator() {
  const link = { type: ['string', 'null'] }
  const count = { type: 'integer', minimum: 0 }
  return new Ajv().compile({
    type: 'object',
    required: ['$total', '$page', '$next', '$back', '$items_per_page', '$items'],
    properties: { $total: count, $page: count, $next: link, $back: link, $items_per_page: count, $items: { type: 'array' } },
    additionalProperties: false,
  })
}

/**
 * Swagger 2.0 has a parameter's type next to its name and a body's schema next to its description; OpenAPI 3 nests
 * both.
 */
function toOperation(path: string, operation: Schema): Schema {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : []
  const responses = Object.entries(asSchema(operation.responses)).map(([status, response]) => {
    const { description, schema } = asSchema(response)
    return [status, { description, content: { 'application/json': { schema: rewrite(schema) } } }]
  })
  return {
    operationId: operation.operationId ?? path,
    parameters: parameters.map((parameter) => {
      const { in: place, name, required, description, ...schema } = asSchema(parameter)
      return { in: place, name, required, description, schema }
    }),
    responses: Object.fromEntries(responses),
  }
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? value.replace('#/definitions/', '#/components/schemas/') : rewrite(value),
    ]),
  )
}
