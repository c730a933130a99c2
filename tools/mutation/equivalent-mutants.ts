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

/** Marks survivors that are recorded as equivalent. */
export function markEquivalent(verdicts: readonly MutationResult[], known = EQUIVALENT_MUTANTS, readLines = linesOf): MutationResult[] {
  return verdicts.map((verdict) => {
    if (verdict.status !== 'Survived' && verdict.status !== 'NoCoverage') return verdict
    const code = readLines(verdict.file)[verdict.line - 1]?.trim()
    const replacement = verdict.replacement.replace(/\s+/g, ' ')
    const found = known.find((each) => each.file === verdict.file && each.code === code && each.replacement === replacement)
    return found ? { ...verdict, status: 'Ignored', reason: `Same: ${found.why}` } : verdict
  })
}

export function linesOf(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8').split('\n')
}
