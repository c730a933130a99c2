import { existsSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import type { OpenAPIBackend, Operation } from 'openapi-backend'
import { asSchema, at, openBackend, problemOf, readDocument, type Schema, sharedFile, withFormats } from '../../harness/openapi.ts'

/** Plaid's own description of its API, kept outside the repository. */
const DOCUMENT_FILE = sharedFile('specs/banking/plaid-2020-09-14.yml')
export const SAMPLES_FOLDER = sharedFile('samples/banking/plaid')
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)
export const HAS_SAMPLES = existsSync(SAMPLES_FOLDER)

export interface ProviderDocument {
  paths: string[]
  /** Why a request does not match the document; null if it does. */
  requestProblem(path: string, headers: Record<string, string>, body: unknown): string | null
  responseProblem(path: string, status: number, body: unknown): string | null
  schemaProblem(name: string, value: unknown): string | null
  words(schemaName: string): string[]
}

/** Loads the 3 MB document and keeps the named operations: compiling validators for all 339 would take minutes. */
export async function loadProviderDocument(paths: readonly string[]): Promise<ProviderDocument> {
  const whole = readDocument(DOCUMENT_FILE)
  patch(whole)
  const document = trim(whole, paths)
  const backend = await openBackend(document, { formats: { url: isUrl } })
  const schemas = schemaValidators(document)
  return {
    paths: Object.keys(asSchema(document.paths)),
    requestProblem: (path, headers, body) => {
      return problemOf(backend.validator.validateRequest({ method: 'post', path, headers, body }, operationAt(backend, path)))
    },
    responseProblem: (path, status, body) => {
      return problemOf(backend.validator.validateResponse(body, operationAt(backend, path), status))
    },
    schemaProblem: (name, value) => {
      const validate = schemas(name)
      return validate(value) ? null : JSON.stringify(validate.errors)
    },
    words: (name) => {
      const list = at(document, ['components', 'schemas', name]).enum
      return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : []
    },
  }
}

function operationAt(backend: OpenAPIBackend, path: string): Operation {
  const operation = backend.router.getOperations().find((entry) => entry.path === path)
  if (!operation) throw new Error(`the document has no ${path}`)
  return operation
}

/** Fixes parts of the document that ajv cannot process, each with the reason. */
function patch(document: Schema): void {
  // A boolean in OpenAPI 3.0, a number in JSON Schema. False has no effect, since `minimum` is given too.
  delete at(document, ['components', 'schemas', 'TransactionsSyncRequest', 'properties', 'count']).exclusiveMinimum
  // In OpenAPI 3.0.3 `nullable` only has a meaning beside `type`, which is missing here; both branches of the allOf
  // are objects.
  at(document, ['components', 'schemas', 'ItemStatusNullable']).type = 'object'
}

/** The document reduced to the named paths and the webhook schemas. */
function trim(document: Schema, paths: readonly string[]): Schema {
  const kept = Object.fromEntries(paths.map((path) => [path, at(document, ['paths', path])]))
  const components = at(document, ['components'])
  const schemas = asSchema(components.schemas)
  const wanted = new Set<string>()
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') {
        const name = value.replace('#/components/schemas/', '')
        if (!wanted.has(name)) {
          wanted.add(name)
          collect(schemas[name])
        }
      } else collect(value)
    }
  }
  collect(kept)
  for (const name of Object.keys(schemas).filter((each) => each.endsWith('Webhook'))) {
    wanted.add(name)
    collect(schemas[name])
  }
  const keptSchemas = Object.fromEntries(Object.entries(schemas).filter(([name]) => wanted.has(name)))
  return { ...document, paths: kept, components: { ...components, schemas: keptSchemas } }
}

function schemaValidators(document: Schema): (name: string) => ValidateFunction {
  const ajv = withFormats(new Ajv({ strict: false }), { url: isUrl })
  ajv.addSchema({ $id: 'plaid', components: document.components })
  const compiled = new Map<string, ValidateFunction>()
  return (name) => {
    const validate = compiled.get(name) ?? ajv.compile({ $ref: `plaid#/components/schemas/${name}` })
    compiled.set(name, validate)
    return validate
  }
}

/**
 * The document has `format: url`; the format of ajv-formats is stricter than Plaid, which accepts addresses without a
 * dot.
 */
function isUrl(value: string): boolean {
  return URL.canParse(value)
}
