import type { Operation, Parameter, ReferenceDocument } from './reference-schema.ts'
import type { Served } from './reference-split.ts'

/** Moves parameters of several operations into components, and removes redundant members of the document. */
export function compact(document: ReferenceDocument): Served {
  const parameters = sharedParameters(document)
  const nameOf = new Map([...parameters].map(([name, parameter]) => [JSON.stringify(parameter), name]))
  const refer = (parameter: Parameter) => {
    const name = nameOf.get(JSON.stringify(parameter))
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
  }
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => {
        const { parameters: own = [], ...rest } = operation
        return [method, own.length === 0 ? rest : { ...rest, parameters: own.map(refer) }]
      }),
    ),
  ])
  const components = { ...document.components, parameters: Object.fromEntries(parameters) }
  return withoutRedundancy(withUsualSecurity({ ...document, paths: Object.fromEntries(paths), components }))
}

/** Moves the most frequent security requirement to the document; other operations state theirs. */
function withUsualSecurity<Compacted extends Pick<ReferenceDocument, 'security' | 'paths'>>(document: Compacted): Compacted {
  const textOf = ({ security = document.security }: Operation) => JSON.stringify(security)
  const all = Object.values(document.paths).flatMap((item) => Object.values(item).map(textOf))
  const [usual = ''] = [...Map.groupBy(all, (text) => text)].sort(([, one], [, other]) => other.length - one.length)[0] ?? []
  const withOwn = (operation: Operation): Operation => {
    const { security = document.security, ...rest } = operation
    return JSON.stringify(security) === usual ? rest : { ...rest, security }
  }
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withOwn(operation)])),
  ])
  return { ...document, security: JSON.parse(usual), paths: Object.fromEntries(paths) }
}

/**
 * Parameters of several operations, under names of their own: generators create types for parameters and for schemas.
 */
function sharedParameters(document: ReferenceDocument): Map<string, Parameter> {
  const all = Object.values(document.paths).flatMap((item) => Object.values(item).flatMap(({ parameters = [] }) => parameters))
  const shared = [...Map.groupBy(all, (parameter) => JSON.stringify(parameter)).values()].filter(({ length }) => length > 1)
  const schemas = new Set(Object.keys(document.components.schemas ?? {}))
  const named = new Map<string, Parameter>()
  for (const [parameter] of shared) {
    if (!parameter) continue
    const base = parameter.name.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase())
    let name = base
    for (let count = 2; named.has(name) || schemas.has(name); count += 1) name = `${base}${count}`
    named.set(name, parameter)
  }
  return named
}

/**
 * Removes the pattern of a UUID, which its format implies, `required: false`, and Fastify's default descriptions of
 * responses.
 */
function withoutRedundancy(value: object): Served {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    if ('description' in part && part.description === 'Default Response') return { ...part, description: 'OK' }
    const isUuid = 'format' in part && part.format === 'uuid' && 'pattern' in part
    const isOptional = 'required' in part && part.required === false
    if (!isUuid && !isOptional) return part
    return Object.fromEntries(Object.entries(part).filter(([key]) => !(isUuid && key === 'pattern') && !(isOptional && key === 'required')))
  })
  return JSON.parse(text)
}
