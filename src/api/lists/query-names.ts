import type { FastifyRequest, RouteOptions } from 'fastify'
import { badRequest, type FieldError } from '../errors/errors.ts'

/** Parameters of a route: documented name by lower-case name, and whether the value is a number or a boolean. */
type Parameters = Map<string, { name: string; type: unknown }>

/**
 * Query normalization before validation: names are case-insensitive, a repeated parameter is rejected, texts become the
 * numbers and booleans of the schema. Routes without a query schema take no parameters at all.
 */
export function queryReader(route: RouteOptions): (request: FastifyRequest) => void {
  const parameters = parametersOf(route.schema?.querystring)
  return (request) => {
    const given = request.query
    if (typeof given !== 'object' || given === null) return
    const names = Object.keys(given)
    if (names.length === 0 && !route.schema?.querystring) return
    request.query = rename(Object.entries(given), parameters)
  }
}

function parametersOf(schema: unknown): Parameters {
  const parameters: Parameters = new Map()
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return parameters
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    parameters.set(name.toLowerCase(), {
      name,
      type: typeof property === 'object' && property && 'type' in property ? property.type : null,
    })
  }
  return parameters
}

function rename(given: [string, unknown][], parameters: Parameters): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  const errors: FieldError[] = []
  for (const [name, value] of given) {
    const parameter = parameters.get(name.toLowerCase())
    if (!parameter) errors.push({ field: name.slice(0, 100), message: 'is not a known parameter' })
    else if (typeof value !== 'string' || parameter.name in query) errors.push({ field: parameter.name, message: 'is given twice' })
    else query[parameter.name] = toTyped(value, parameter.type)
  }
  if (errors.length > 0) throw badRequest('The request has invalid values.', errors)
  return query
}

/** Unparsable values stay text, which the schema then rejects. */
function toTyped(value: string, type: unknown): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,10})?$/.test(value)) return Number(value)
  if (type === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value
}
