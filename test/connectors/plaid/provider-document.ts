import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { OpenAPIBackend, type Operation } from 'openapi-backend'
import { parse } from 'yaml'

/** Plaid's own description of its API, kept beside the checkout. */
const DOCUMENT_FILE = fileURLToPath(new URL('../../../../shared/specs/banking/plaid-2020-09-14.yml', import.meta.url))
export const SAMPLES_FOLDER = fileURLToPath(new URL('../../../../shared/samples/banking/plaid', import.meta.url))
export const HAS_DOCUMENT = existsSync(DOCUMENT_FILE)
export const HAS_SAMPLES = existsSync(SAMPLES_FOLDER)

interface Schema {
  [key: string]: unknown
}

export interface ProviderDocument {
  paths: string[]
  /** Why a request body is not one; null when it is. */
  requestProblem(path: string, headers: Record<string, string>, body: unknown): string | null
  responseProblem(path: string, status: number, body: unknown): string | null
  schemaProblem(name: string, value: unknown): string | null
  words(schemaName: string): string[]
}

/** Loads the 3 MB document and keeps the operations that are named: validators for all 339 would take minutes. */
export async function loadProviderDocument(paths: readonly string[]): Promise<ProviderDocument> {
  const whole = asSchema(parse(readFileSync(DOCUMENT_FILE, 'utf8')))
  patch(whole)
  const document = trim(whole, paths)
  const backend = new OpenAPIBackend({
    definition: JSON.parse(JSON.stringify(document)),
    quick: true,
    strict: false,
    validate: true,
    ajvOpts: { strict: false, allErrors: false },
    customizeAjv: (ajv) => {
      addFormats.default(ajv)
      ajv.addFormat('url', isUrl)
      return ajv
    },
  })
  await backend.init()
  const schemas = schemaValidators(document)
  return {
    paths: Object.keys(asSchema(document.paths)),
    requestProblem: (path, headers, body) => {
      const result = backend.validator.validateRequest({ method: 'post', path, headers, body }, operationAt(backend, path))
      return result.valid ? null : JSON.stringify(result.errors)
    },
    responseProblem: (path, status, body) => {
      const result = backend.validator.validateResponse(body, operationAt(backend, path), status)
      return result.valid ? null : JSON.stringify(result.errors)
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

/** What of the document ajv cannot take, each with the reason. */
function patch(document: Schema): void {
  // OpenAPI 3.0 has a boolean here, JSON Schema a number. False says nothing: `minimum` stands beside it.
  delete at(document, ['components', 'schemas', 'TransactionsSyncRequest', 'properties', 'count']).exclusiveMinimum
  // OpenAPI 3.0.3 gives `nullable` a meaning only beside `type`, which is missing here; both branches of the allOf are objects.
  at(document, ['components', 'schemas', 'ItemStatusNullable']).type = 'object'
}

/** The document with the named paths only, and the webhook schemas beside them. */
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
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  ajv.addFormat('url', isUrl)
  ajv.addSchema({ $id: 'plaid', components: document.components })
  const compiled = new Map<string, ValidateFunction>()
  return (name) => {
    const validate = compiled.get(name) ?? ajv.compile({ $ref: `plaid#/components/schemas/${name}` })
    compiled.set(name, validate)
    return validate
  }
}

/** The document says `format: url`; the format of ajv-formats is stricter than Plaid, which takes addresses without a dot. */
function isUrl(value: string): boolean {
  return URL.canParse(value)
}

function at(root: Schema, keys: readonly string[]): Schema {
  return keys.reduce((node, key) => asSchema(node[key]), root)
}

function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object of the document')
  return value as Schema
}
