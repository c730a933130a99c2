import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { splitIntoPieces } from './pieces.ts'
import { isWithin, NOT_COPIED, samplePieces, toLineRange } from './selection.ts'

const FILE = `import { a } from './a.ts'

const LIMIT = 3

/** Doubles. */
export function double(n: number): number {
  const two = 2

  return n * two
}

export class Counter {
  #count = 0

  /** Counts. */
  count(): void {
    this.#count += 1
  }

  get value(): number {
    return this.#count
  }
}
`

describe('the pieces of a file', () => {
  const pieces = splitIntoPieces('a.ts', FILE)

  it('are its declarations and the members of its classes, without imports', () => {
    expect(pieces.map(({ head }) => head.trim())).toEqual([
      'const LIMIT = 3',
      'export function double(n: number): number {',
      'export class Counter {',
      '#count = 0',
      'count(): void {',
      'get value(): number {',
    ])
  })

  it('contain every line of them once, comments included', () => {
    const lines = FILE.split('\n')
    const held = pieces.flatMap(({ from, to }) => lines.slice(from - 1, to))
    expect(held.join('\n')).toBe(lines.slice(2).join('\n'))
    expect(pieces[1]).toMatchObject({ from: 5, lines: 4 })
  })
})

describe('a sample', () => {
  const pieces = splitIntoPieces('a.ts', FILE)

  it('is the same for one seed, wherever lines have moved', () => {
    const moved = splitIntoPieces('a.ts', `import { b } from './b.ts'\n${FILE}`)
    const heads = (of: typeof pieces) => samplePieces(of, 'seed', 6).map(({ head }) => head)
    expect(heads(moved)).toEqual(heads(pieces))
  })

  it('ends with the piece that reaches the requested number of lines', () => {
    const lines = samplePieces(pieces, 'seed', 6).map((piece) => piece.lines)
    const sum = lines.reduce((total, count) => total + count, 0)
    expect([sum >= 6, sum - (lines.at(-1) ?? 0) < 6]).toEqual([true, true])
  })

  it('of nothing is empty', () => {
    expect(samplePieces(pieces, 'seed', 0)).toEqual([])
  })
})

describe('a place', () => {
  const pieces = splitIntoPieces('src/a/a.ts', FILE)
  const headsIn = (place: string) => pieces.filter((piece) => isWithin(piece, [toLineRange(place)])).map(({ head }) => head.trim())

  it('is a file, a folder, or lines of a file, of which the whole declarations count', () => {
    expect([headsIn('src/a/a.ts').length, headsIn('src/a/').length, headsIn('src/b').length]).toEqual([6, 6, 0])
    expect(headsIn('src/a/a.ts:7-9')).toEqual(['export function double(n: number): number {'])
    expect(headsIn('src/a/a.ts:3')).toEqual(['const LIMIT = 3'])
  })
})

describe('the copy of the tree', () => {
  it.skipIf(!existsSync('.git'))('lacks no file of ours', () => {
    const lacks = NOT_COPIED.map((pattern) => `--exclude=${pattern}`)
    expect(execFileSync('git', ['ls-files', '--cached', '--ignored', ...lacks], { encoding: 'utf8' })).toBe('')
  })
})
