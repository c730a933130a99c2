import { CHEAP_S, SLOWEST_MS } from '../nearest-tests.ts'
import type { Piece } from '../pieces.ts'
import type { CoverageMap } from './coverage-map.ts'

/** How many test files that call a declaration judge it, where there are so many. */
const CALLERS = 4

/**
 * Leaves out the test files that call none of a file's declarations, and adds some of those that do: the fastest that
 * call little else. Test files that are not in the map stay.
 */
export function addCallers(
  testsOf: Readonly<Record<string, readonly string[]>>,
  pieces: readonly Pick<Piece, 'file' | 'head'>[],
  { tests, callers }: CoverageMap,
  durations: ReadonlyMap<string, number>,
): Record<string, string[]> {
  const breadths = breadthsOf(callers)
  const durationOf = (place: number): number => durations.get(tests[place] ?? '') ?? 0
  const weight = (place: number): number => (breadths.get(place) ?? 0) * (1 + durationOf(place) / 1_000 / CHEAP_S)
  const isSlow = (place: number): number => (durationOf(place) > SLOWEST_MS ? 1 : 0)
  const isKnown = new Set(tests)
  const judge = (file: string, nearest: readonly string[]): string[] => {
    const heads = pieces.flatMap((piece) => (piece.file === file ? [piece.head] : []))
    const callersOf = heads.map((head) => (callers[file]?.[head] ?? []).toSorted((a, b) => isSlow(a) - isSlow(b) || weight(a) - weight(b)))
    const calling = new Set(callersOf.flat().map((place) => tests[place]))
    const chosen = new Set(nearest.filter((test) => !isKnown.has(test) || calling.has(test)))
    for (const places of callersOf) {
      const names = places.flatMap((place) => tests[place] ?? [])
      const missing = CALLERS - names.filter((name) => chosen.has(name)).length
      for (const name of names.filter((name) => !chosen.has(name)).slice(0, Math.max(0, missing))) chosen.add(name)
    }
    // Code that runs while modules are loaded is called by none.
    return chosen.size > 0 ? [...chosen] : [...nearest]
  }
  return Object.fromEntries(Object.entries(testsOf).map(([file, nearest]) => [file, judge(file, nearest)]))
}

/** How many declarations each test file calls. */
function breadthsOf(callers: CoverageMap['callers']): Map<number, number> {
  const breadths = new Map<number, number>()
  for (const places of Object.values(callers).flatMap((ofFile) => Object.values(ofFile)))
    for (const place of places) breadths.set(place, (breadths.get(place) ?? 0) + 1)
  return breadths
}
