import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MutationResult } from './mutation-results.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** An equivalent mutant: no test can detect it, because the code behaves the same. */
interface EquivalentMutant {
  file: string
  /** The line that contains it, without indentation. */
  code: string
  /** Its replacement, with white space as single spaces. */
  replacement: string
  why: string
}

/** Identified by its text, so that the entry stays valid when lines move and not when they change. */
export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'equivalent-mutants.json'), 'utf8'),
)

type RecordedMutant = Pick<MutationResult, 'file' | 'line' | 'replacement'>

/** Marks survivors that are recorded as equivalent. */
export function markEquivalent(verdicts: readonly MutationResult[], known = EQUIVALENT_MUTANTS, readLines = linesOf): MutationResult[] {
  return verdicts.map((verdict) => {
    if (verdict.status !== 'Survived' && verdict.status !== 'NoCoverage') return verdict
    const found = findEquivalent(verdict, known, readLines)
    return found ? { ...verdict, status: 'Ignored', reason: `Same: ${found.why}` } : verdict
  })
}

/** The entry of a mutant; null if it is not recorded. */
export function findEquivalent(mutant: RecordedMutant, known = EQUIVALENT_MUTANTS, readLines = linesOf): EquivalentMutant | null {
  const code = readLines(mutant.file)[mutant.line - 1]?.trim()
  const replacement = mutant.replacement.replace(/\s+/g, ' ')
  return known.find((each) => each.file === mutant.file && each.code === code && each.replacement === replacement) ?? null
}

export function linesOf(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8').split('\n')
}
