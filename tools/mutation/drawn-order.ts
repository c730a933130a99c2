import { createHash } from 'node:crypto'
import type { MutationResult } from './mutation-results.ts'

type DrawnMutant = Pick<MutationResult, 'file' | 'line' | 'mutator' | 'replacement'>

/**
 * File by file, so that the tests of few files run without a mutant before the first ones are judged. Files, and the
 * mutants of a file, come in an order that is pseudorandom and constant for one seed: the first ones are a fair sample.
 */
export function drawInOrder<T>(mutants: readonly T[], seed: string, describe: (mutant: T) => DrawnMutant): T[] {
  const ranked = mutants.map((mutant) => {
    const { file, line, mutator, replacement } = describe(mutant)
    return { mutant, rank: hashOf(seed, file) + hashOf(seed, file, line, mutator, replacement) }
  })
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant)
}

function hashOf(...texts: (string | number)[]): string {
  return createHash('sha256').update(texts.join('\0')).digest('hex')
}
