import { createHash } from 'node:crypto'
import { ApiError } from '../../errors/errors.ts'
import type { JsonObject } from './json.ts'
import { invalidValue } from './scim-error.ts'

/** Resource in its response form: `meta.version` is its ETag. */
export interface Resource {
  schemas: readonly string[]
  id: string
  meta: { resourceType: string; created: string; lastModified: string; location: string; version: string }
  [attribute: string]: unknown
}

/** ETag of what is shown of a resource. Weak, because the same can be shown with other attributes. */
export function toVersion(content: unknown): string {
  return `W/"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 27)}"`
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Whether a header of ETags names this version; weak and strong ones are compared alike. */
export function namesVersion(header: string | undefined, version: string): boolean {
  if (header === undefined) return false
  const tags = tagsOf(header)
  return tags.includes('*') || tags.includes(version.replace(/^W\//, ''))
}

/** Throws a 412 unless the resource has one of the ETags. */
export function checkVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch !== undefined && !namesVersion(ifMatch, version)) throw new ApiError(412, 'It has changed since you read it: read it again.')
}

/** Attributes requested by the client; names in lower case. */
export interface Projection {
  only: ReadonlySet<string> | null
  without: ReadonlySet<string>
}

const ALWAYS = new Set(['schemas', 'id', 'meta'])

/** Throws a 400 when both are given. Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.9 */
export function toProjection(attributes: unknown, excluded: unknown): Projection {
  const [only, without] = [namesOf(attributes), namesOf(excluded)]
  if (only.size > 0 && without.size > 0) throw invalidValue('Give either attributes or excludedAttributes.')
  return { only: only.size > 0 ? only : null, without }
}

function namesOf(given: unknown): Set<string> {
  const parts = (Array.isArray(given) ? given : [given]).flatMap((each: unknown) => (typeof each === 'string' ? each.split(',') : []))
  return new Set(
    parts
      .map((name) =>
        name
          .trim()
          .toLowerCase()
          .replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, ''),
      )
      .filter(Boolean),
  )
}

export function isWanted(name: string, { only, without }: Projection): boolean {
  const key = name.toLowerCase()
  if (ALWAYS.has(key)) return true
  return !without.has(key) && (only === null || [...only].some((each) => each === key || each.startsWith(`${key}.`)))
}

/** The resource with the attributes that are wanted; of one with parts, the parts. */
export function project(resource: Resource, projection: Projection): JsonObject {
  const { only, without } = projection
  const partsOf = (name: string, names: ReadonlySet<string>) =>
    [...names].flatMap((each) => (each.startsWith(`${name.toLowerCase()}.`) ? [each.slice(name.length + 1)] : []))
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => isWanted(name, projection))
      .map(([name, value]) => {
        if (ALWAYS.has(name)) return [name, value]
        const parts = only === null || only.has(name.toLowerCase()) ? null : partsOf(name, only)
        return [name, pickParts(value, parts, partsOf(name, without))]
      }),
  )
}

function pickParts(value: unknown, only: readonly string[] | null, without: readonly string[]): unknown {
  if (only === null && without.length === 0) return value
  if (Array.isArray(value)) return value.map((each: unknown) => pickParts(each, only, without))
  if (typeof value !== 'object' || value === null) return value
  const isPart = ([name]: [string, unknown]) =>
    (only === null || only.includes(name.toLowerCase())) && !without.includes(name.toLowerCase())
  return Object.fromEntries(Object.entries(value).filter(isPart))
}
