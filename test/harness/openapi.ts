import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { OpenAPIBackend } from 'openapi-backend'
import { parse } from 'yaml'

/** An object of a provider's API document. */
export interface Schema {
  [key: string]: unknown
}

/** Path of a provider's document or recorded answer, kept outside the repository. */
export function sharedFile(path: string): string {
  return fileURLToPath(new URL(`../../../shared/${path}`, import.meta.url))
}

export function readDocument(file: string): Schema {
  return asSchema(parse(readFileSync(file, 'utf8')))
}

export function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object of the document')
  return value as Schema
}

/** The object at a path of property names. */
export function at(root: Schema, keys: readonly string[]): Schema {
  return keys.reduce((node, key) => asSchema(node[key.replaceAll('~1', '/')]), root)
}

interface BackendOptions {
  allErrors?: boolean
  coerceTypes?: boolean
  /** Formats of the document that JSON Schema does not have. */
  formats?: Readonly<Record<string, (value: string) => boolean>>
}

/**
 * Validators for an OpenAPI 3 document, reduced to the needed operations if it is large, since each one is compiled.
 */
export async function openBackend(document: object, { allErrors = false, coerceTypes = false, formats = {} }: BackendOptions = {}) {
  const backend = new OpenAPIBackend({
    definition: JSON.parse(JSON.stringify(document)),
    quick: true,
    strict: false,
    validate: true,
    coerceTypes,
    ajvOpts: { strict: false, allErrors },
    customizeAjv: (ajv) => withFormats(ajv, formats),
  })
  await backend.init()
  return backend
}

export function withFormats<A extends Ajv>(ajv: A, formats: BackendOptions['formats'] = {}): A {
  addFormats.default(ajv)
  for (const [name, check] of Object.entries(formats)) ajv.addFormat(name, check)
  return ajv
}

/** Errors of a validator as text; null if there are none. */
export function problemOf({ valid, errors }: { valid: boolean; errors?: unknown }): string | null {
  return valid ? null : JSON.stringify(errors)
}
