import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = import.meta.dirname
/** Folders that do not imitate a source. */
const OTHERS = ['kit', 'statements']
const NEEDED = ['README.md', 'index.ts', 'faults.ts', 'sandbox.ts']
/** Other files that a source may have; everything else belongs in one of its subfolders. */
const ALLOWED = [...NEEDED, 'index.test.ts', 'state.ts', 'context.ts', 'oauth.ts', 'webhooks.ts']
const ROOMS = ['api', 'data', 'window']
const MOST_FILES = 25
const MOST_LINES = 250

const sources = folders(root).filter((name) => !OTHERS.includes(name))
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

function folders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

/** Files that a file imports by relative path, types included, relative to this folder. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...found].map(([, path = '']) => relative(root, resolve(root, dirname(file), path)))
}

describe('a simulator', () => {
  it.each(sources)('%s has the files that every simulator has, under the same names', (source) => {
    const names = namesIn(join(root, source))
    expect(names).toEqual(expect.arrayContaining(NEEDED))
    expect(names.filter((name) => !ALLOWED.includes(name))).toEqual([])
    expect(folders(join(root, source)).filter((name) => !ROOMS.includes(name))).toEqual([])
  })

  it.each(sources)('%s imports only itself and the kit', (source) => {
    const mine = files.filter((file) => file.startsWith(`${source}/`) && !file.endsWith('.test.ts'))
    const strange = mine.flatMap((file) =>
      importsOf(file).filter((path) => !/^(kit\/|simulator\.ts$)/.test(path) && !path.startsWith(`${source}/`)),
    )
    expect(strange).toEqual([])
  })
})

it('the kit imports no simulator', () => {
  const kit = files.filter((file) => file.startsWith('kit/'))
  expect(kit.flatMap((file) => importsOf(file).filter((path) => !/^(kit\/|simulator\.ts$)/.test(path)))).toEqual([])
})

it('no files import each other in a cycle, types included', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]))
  const rings: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) rings.push([...path.slice(path.indexOf(file)), file].join(' > '))
    if (path.includes(file) || done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(rings).toEqual([])
})

it('no folder has more than 25 files, and no code file more than 250 lines', () => {
  const places = [
    '.',
    ...readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [relative(root, join(entry.parentPath, entry.name))] : [],
    ),
  ]
  expect(places.filter((place) => namesIn(join(root, place)).length > MOST_FILES)).toEqual([])
  const code = files.filter((file) => !file.endsWith('.test.ts'))
  expect(code.filter((file) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length > MOST_LINES)).toEqual([])
})
