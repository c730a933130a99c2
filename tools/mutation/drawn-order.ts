import { createHash } from 'node:crypto'
import type { MutationResult } from './mutation-results.ts'

type DrawnMutant = Pick<MutationResult, 'file' | 'line' | 'mutator' | 'replacement'>

/** Order of these mutants that is pseudorandom and constant for one seed, so that the first ones are a fair sample. */
export function drawInOrder<T>(mutants: readonly T[], seed: string, describe: (mutant: T) => DrawnMutant): T[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(describe(mutant), seed) }))
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant)
}

/**
 * The verdicts up to the last that a test gave. Mutants that no test runs are reported before their turn: after a run
 * that was ended, those whose turn had not come would count too often.
 */
export function untilLastRun(verdicts: readonly MutationResult[], seed: string): MutationResult[] {
  const inOrder = drawInOrder(verdicts, seed, (verdict) => verdict)
  const last = inOrder.findLastIndex(({ status }) => status !== 'NoCoverage' && status !== 'Ignored')
  return inOrder.slice(0, last + 1)
}

function rankOf({ file, line, mutator, replacement }: DrawnMutant, seed: string): string {
  return createHash('sha256').update([seed, file, line, mutator, replacement].join('\0')).digest('hex')
}
