import type { ReferenceDocument } from './reference-schema.ts'

type Item = ReferenceDocument['paths'][string]
type Operation = Item[string]

/**
 * Merges paths that differ only in the names of their parameters: OpenAPI treats them as identical. A parameter with
 * different names gets both: `{eventName}` and `{subscriptionId}` become `{eventNameOrSubscriptionId}`.
 * Source: https://spec.openapis.org/oas/v3.1.1.html#path-templating-matching
 */
export function joinPaths(document: ReferenceDocument): ReferenceDocument {
  const groups = Map.groupBy(Object.entries(document.paths), ([path]) => path.replace(/\{\w+\}/g, '{}'))
  return { ...document, paths: Object.fromEntries([...groups.values()].map(join)) }
}

function join(group: [string, Item][]): [string, Item] {
  const [first] = group
  if (group.length === 1 && first) return first
  const named = group.map(([path, item]) => ({ item, names: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '') }))
  const joined = (named[0]?.names ?? []).map((_name, index) => joinNames([...new Set(named.map(({ names }) => names[index] ?? ''))]))
  let index = 0
  const path = (first?.[0] ?? '').replace(/\{\w+\}/g, () => `{${joined[index++]}}`)
  const items = named.map(({ item, names }) => renameParameters(item, new Map(names.map((name, at) => [name, joined[at] ?? name]))))
  return [path, Object.assign({}, ...items)]
}

function joinNames(names: string[]): string {
  return names.map((name, index) => (index === 0 ? name : name.charAt(0).toUpperCase() + name.slice(1))).join('Or')
}

function renameParameters(item: Item, names: ReadonlyMap<string, string>): Item {
  const rename = (operation: Operation): Operation => ({
    ...operation,
    parameters: (operation.parameters ?? []).map((parameter) =>
      parameter.in === 'path' ? { ...parameter, name: names.get(parameter.name) ?? parameter.name } : parameter,
    ),
  })
  return Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, rename(operation)]))
}
