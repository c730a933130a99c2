import { InvalidFilter } from '../../../store/provisioning/filters.ts'
import { parsePath, type ScimPath, toAttribute } from './filter.ts'
import { isObject, readMessage } from './json.ts'
import { PATCH_OP } from './schemas.ts'
import { invalidPath, invalidSyntax, invalidValue, ScimError } from './scim-error.ts'

const MAX_OPERATIONS = 1_000
const OPERATIONS = ['add', 'replace', 'remove'] as const

/** One step of a PATCH on one attribute. */
export interface PatchStep {
  operation: (typeof OPERATIONS)[number]
  path: ScimPath
  /** Undefined without one. */
  value: unknown
}

/**
 * Steps of a PATCH request, in order. An operation without a path becomes a step for each attribute of its value, whose
 * names may be paths themselves, as Entra ID writes them. Throws a 400.
 * Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2
 */
export function readPatch(body: unknown): PatchStep[] {
  const operations = readMessage(body, PATCH_OP).get('operations')
  if (!Array.isArray(operations)) throw invalidSyntax('Operations must be a list of operations.')
  if (operations.length > MAX_OPERATIONS) throw tooMany()
  const steps: PatchStep[] = []
  for (const [index, each] of operations.entries()) {
    steps.push(...toSteps(each, `Operations[${index}]`))
    if (steps.length > MAX_OPERATIONS) throw tooMany()
  }
  return steps
}

function tooMany(): ScimError {
  return new ScimError(413, 'tooMany', `A request changes at most ${MAX_OPERATIONS} attributes.`)
}

function toSteps(given: unknown, shown: string): PatchStep[] {
  if (!isObject(given)) throw invalidSyntax(`${shown} must be an object.`)
  const { op, path, value } = fieldsOf(given)
  const word = typeof op === 'string' ? op.toLowerCase() : ''
  const operation = OPERATIONS.find((each) => each === word)
  if (operation === undefined) throw invalidSyntax(`${shown}.op must be add, replace or remove.`)
  if (path !== undefined && path !== null && typeof path !== 'string') throw invalidPath(`${shown}.path must be a text.`)
  if (typeof path === 'string' && path !== '') {
    if (operation !== 'remove' && value === undefined) throw invalidValue(`${shown} has no value.`)
    return [{ operation, path: toPath(path, shown), value }]
  }
  if (operation === 'remove') throw new ScimError(400, 'noTarget', `${shown} has no path.`)
  if (!isObject(value)) throw invalidValue(`${shown}.value must be an object where there is no path.`)
  const parts = Object.entries(value)
  if (parts.length > MAX_OPERATIONS) throw tooMany()
  return parts
    .filter(([name]) => !['schemas', 'meta'].includes(name.toLowerCase()))
    .map(([name, part]) => ({ operation, path: toPath(name, shown), value: part }))
}

/** The members of an operation, whose names Entra ID may begin with a capital. */
function fieldsOf(given: Readonly<Record<string, unknown>>): { op?: unknown; path?: unknown; value?: unknown } {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
}

function toPath(text: string, shown: string): ScimPath {
  // The URN of a schema, with a dot in its version, is the name of an extension as a whole.
  if (text.toLowerCase().startsWith('urn:') && toAttribute(text).startsWith('urn:'))
    return { attribute: toAttribute(text), filter: null, part: null }
  try {
    return parsePath(text)
  } catch (error) {
    if (error instanceof InvalidFilter) throw invalidPath(`${shown}: the path cannot be read. ${error.message}`)
    throw error
  }
}
