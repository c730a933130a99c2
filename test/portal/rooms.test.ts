import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const MAX_FILES = 25
const portal = resolve(import.meta.dirname, '../../src/portal')
const files = readdirSync(portal, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(portal, join(entry.parentPath, entry.name)))

interface Import {
  from: string
  to: string
  isType: boolean
}

const IMPORT = /(?:^|\n)(?:import|export)\s+(type\s)?[^'";]*?from\s+'(\.[^']+)'|\bimport\(?\s*'(\.[^']+)'/g

/** Relative imports of one file; `import()` and side-effect imports count as imports of values. */
function importsOf(from: string): Import[] {
  return [...readFileSync(join(portal, from), 'utf8').matchAll(IMPORT)].map(([, type, named = '', bare]) => ({
    from,
    to: relative(portal, resolve(portal, dirname(from), bare ?? named)),
    isType: type !== undefined,
  }))
}

/** Nodes that can be reached from themselves. */
function listCyclic(edges: readonly (readonly [string, string])[]): string[] {
  const next = Map.groupBy(edges, ([from]) => from)
  return [...next.keys()].filter((start) => {
    const seen = new Set<string>()
    const open = [start]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [, to] of next.get(node) ?? []) {
        if (to === start) return true
        if (!seen.has(to)) open.push(to)
        seen.add(to)
      }
    }
    return false
  })
}

describe('the folders of the portal', () => {
  const imports = files.filter((name) => /\.tsx?$/.test(name)).flatMap(importsOf)

  it('import each other in one direction, types too', () => {
    expect(imports.length).toBeGreaterThan(500)
    const edges = imports.map(({ from, to }) => [dirname(from), dirname(to)] as const).filter(([from, to]) => from !== to)
    expect(listCyclic(edges)).toEqual([])
  })

  it('have no files that import each other’s values in a cycle', () => {
    const edges = imports.filter(({ isType }) => !isType).map(({ from, to }) => [from, to] as const)
    expect(listCyclic(edges)).toEqual([])
  })

  it(`hold at most ${MAX_FILES} files each`, () => {
    const folders = Map.groupBy(files, dirname)
    expect([...folders].filter(([, names]) => names.length > MAX_FILES).map(([folder]) => folder)).toEqual([])
  })
})
