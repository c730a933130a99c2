import type { ScimPage } from '../../../store/provisioning/scim-users.ts'
import { parseFilter } from './filter.ts'
import { type JsonObject, readMessage } from './json.ts'
import { type Projection, type Resource, toProjection } from './resource.ts'
import { DEFAULT_RESULTS, LIST_RESPONSE, MAX_RESULTS, SEARCH_REQUEST } from './schemas.ts'
import { invalidValue, ScimError } from './scim-error.ts'

/** What a list is asked for. */
export interface ListRequest extends ScimPage {
  projection: Projection
}

/** Far beyond any directory; a larger number would not fit into a query. */
const MAX_INDEX = 1_000_000_000

/** From the query of a request; parameters that are not known mean nothing. Throws a 400. */
export function readListQuery(query: unknown): ListRequest {
  const given: JsonObject = typeof query === 'object' && query !== null ? { ...query } : {}
  const lower = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  return toListRequest((name) => lower.get(name))
}

/** From the body of a request to `.search`. Throws a 400. */
export function readSearch(body: unknown): ListRequest {
  const message = readMessage(body, SEARCH_REQUEST)
  return toListRequest((name) => message.get(name))
}

function toListRequest(get: (name: string) => unknown): ListRequest {
  const start = toInteger(get('startindex'), 'startIndex', 1)
  const count = toInteger(get('count'), 'count', DEFAULT_RESULTS)
  return {
    filter: toFilter(get('filter')),
    // Below 1 means 1, below 0 means 0. Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4
    offset: Math.max(1, start) - 1,
    limit: Math.min(MAX_RESULTS, Math.max(0, count)),
    projection: toProjection(get('attributes'), get('excludedattributes')),
  }
}

function toInteger(value: unknown, name: string, otherwise: number): number {
  if (value === undefined || value === '') return otherwise
  const text = String(value)
  if (!/^-?\d{1,12}$/.test(text)) throw invalidValue(`${name} must be a whole number.`)
  return Math.min(MAX_INDEX, Number(text))
}

function toFilter(value: unknown): ListRequest['filter'] {
  if (value === undefined || value === '') return null
  if (typeof value !== 'string') throw new ScimError(400, 'invalidFilter', 'filter must be given once, as a text.')
  return parseFilter(value)
}

export function toListResponse(resources: readonly (Resource | JsonObject)[], totalResults: number, startIndex: number): JsonObject {
  return { schemas: [LIST_RESPONSE], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources }
}
