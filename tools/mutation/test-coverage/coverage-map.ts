import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { splitIntoPieces } from '../pieces.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const RECORD = join(ROOT, 'node_modules', '.cache', 'mutation-coverage.json')

/** What the tests and hooks of one test file call in its process. */
export interface TestCoverage {
  test: string
  durationMs: number
  /** Offsets in the text of each file at which the called functions begin. */
  files: Record<string, number[]>
}

/** Which test files call which declarations of `src`. */
export interface CoverageMap {
  tests: string[]
  /** By file and by first line of the declaration, which it keeps when lines move: places in `tests`. */
  callers: Record<string, Record<string, number[]>>
}

/** `readText` gives the text of a file when its tests ran. */
export function toCoverageMap(
  coverages: readonly TestCoverage[],
  readText = (file: string) => readFileSync(join(ROOT, file), 'utf8'),
): CoverageMap {
  const callers = new Map<string, Map<string, number[]>>()
  const headsOf = new Map<string, (offset: number) => string | undefined>()
  for (const [place, { files }] of coverages.entries()) {
    for (const [file, offsets] of Object.entries(files)) {
      const headOf = headsOf.get(file) ?? headsIn(file, readText(file))
      headsOf.set(file, headOf)
      const heads = new Set(offsets.flatMap((offset) => headOf(offset) ?? []))
      const ofFile = callers.get(file) ?? new Map<string, number[]>()
      callers.set(file, ofFile)
      for (const head of heads) {
        const places = ofFile.get(head) ?? []
        places.push(place)
        ofFile.set(head, places)
      }
    }
  }
  const asObjects = [...callers].map(([file, ofFile]) => [file, Object.fromEntries(ofFile)])
  return { tests: coverages.map(({ test }) => test), callers: Object.fromEntries(asObjects) }
}

/** The first line of the declaration around an offset. */
function headsIn(file: string, text: string): (offset: number) => string | undefined {
  const pieces = splitIntoPieces(file, text)
  return (offset) => {
    const line = text.slice(0, offset).split('\n').length
    return pieces.find(({ from, to }) => from <= line && line <= to)?.head
  }
}

/** Null where `npm run mutate -- --coverage` has not been run. */
export function readCoverageMap(record = RECORD): CoverageMap | null {
  return existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as CoverageMap) : null
}

export function keepCoverageMap(map: CoverageMap, record = RECORD): void {
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, JSON.stringify(map))
}
