/** Node of a statement, as PostgreSQL’s own parser reads it. */
export type Tree = Readonly<Record<string, unknown>>

/** All nodes of a kind, at any depth. */
export function nodesOf(tree: unknown, kind: string): Tree[] {
  if (Array.isArray(tree)) return tree.flatMap((item) => nodesOf(item, kind))
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([name, value]) => [...(isOfKind(name, value, kind) ? [treeOf(value)] : []), ...nodesOf(value, kind)])
}

/** The two halves of a union stand in the tree without the name of their kind. */
function isOfKind(name: string, value: unknown, kind: string): boolean {
  return name === kind || (kind === 'SelectStmt' && (name === 'larg' || name === 'rarg') && 'limitOption' in treeOf(value))
}

/** The node of a kind that a value is. */
export function nodeOf(value: unknown, kind: string): Tree | undefined {
  const node = treeOf(value)[kind]
  return typeof node === 'object' && node !== null ? treeOf(node) : undefined
}

export function treeOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
