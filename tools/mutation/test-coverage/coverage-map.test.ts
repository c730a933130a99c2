import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addCallers } from './add-callers.ts'
import { keepCoverageMap, readCoverageMap, toCoverageMap } from './coverage-map.ts'

const TEXT = `import { z } from './z.ts'

/** Adds. */
export function add(a: number): number {
  const plus = () => a + 1
  return plus()
}

export class Counter {
  count(): number {
    return 1
  }
}
`
const FILE = 'src/model/sums.ts'
const HEADS = { add: 'export function add(a: number): number {', count: '  count(): number {' }
const at = (text: string): number => TEXT.indexOf(text)

it('a test file calls the declaration around each function that it calls, whatever is inside of it', () => {
  const coverages = [
    { test: 'a.test.ts', durationMs: 1, files: { [FILE]: [at('function add'), at('() => a')] } },
    { test: 'b.test.ts', durationMs: 1, files: { [FILE]: [at('() => a'), at('count()')] } },
  ]
  const callers = { [FILE]: { [HEADS.add]: [0, 1], [HEADS.count]: [1] } }
  expect(toCoverageMap(coverages, () => TEXT)).toEqual({ tests: ['a.test.ts', 'b.test.ts'], callers })
})

it('a map is read as it was kept, and is none before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coverage-map-'))
  const record = join(folder, 'deep', 'map.json')
  expect(readCoverageMap(record)).toBeNull()
  const map = { tests: ['a.test.ts'], callers: { [FILE]: { [HEADS.add]: [0] } } }
  keepCoverageMap(map, record)
  expect(readCoverageMap(record)).toEqual(map)
  await rm(folder, { recursive: true })
})

const TESTS = ['far', 'wide', 'slow', 'one', 'two', 'three', 'four'].map((name) => `${name}.test.ts`)
const judge = (nearest: string[], callers: Record<string, number[]>, durations: Record<string, number> = {}): string[] | undefined => {
  const other = { 'src/other.ts': { a: [1], b: [1], c: [1] } }
  const pieces = Object.keys(callers).map((head) => ({ file: FILE, head }))
  return addCallers(
    { [FILE]: nearest },
    pieces,
    { tests: TESTS, callers: { ...other, [FILE]: callers } },
    new Map(Object.entries(durations)),
  )[FILE]
}

it('a near test file that calls nothing of a file judges it no more; one that is not in the map does', () => {
  expect(judge(['far.test.ts', 'one.test.ts', 'new.test.ts'], { add: [3] })).toEqual(['one.test.ts', 'new.test.ts'])
})

it('up to four of those that call a declaration judge it, those that call little else first', () => {
  expect(judge([], { add: [1, 3, 4, 5, 6] })).toEqual(['one.test.ts', 'two.test.ts', 'three.test.ts', 'four.test.ts'])
  expect(judge(['wide.test.ts'], { add: [1, 3, 4, 5, 6] })).toEqual(['wide.test.ts', 'one.test.ts', 'two.test.ts', 'three.test.ts'])
})

it('each declaration of a file has test files that call it', () => {
  expect(judge(['one.test.ts'], { add: [3], count: [4] })).toEqual(['one.test.ts', 'two.test.ts'])
})

it('a test file that takes more than ten seconds comes last', () => {
  expect(judge([], { add: [2, 1] }, { 'slow.test.ts': 10_001 })).toEqual(['wide.test.ts', 'slow.test.ts'])
  expect(judge([], { add: [2, 1] }, { 'slow.test.ts': 100 })).toEqual(['slow.test.ts', 'wide.test.ts'])
})

it('the nearest judge what runs while modules are loaded only, which no test calls', () => {
  expect(judge(['far.test.ts'], { add: [] })).toEqual(['far.test.ts'])
})
