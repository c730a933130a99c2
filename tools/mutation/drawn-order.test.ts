import { expect, it } from 'vitest'
import { drawInOrder, untilLastRun } from './drawn-order.ts'
import type { MutationResult } from './mutation-results.ts'

const FILES = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']
const MUTANTS = FILES.flatMap((file) =>
  Array.from({ length: 25 }, (_, line): MutationResult => {
    return { status: 'Killed', file, line, mutator: 'BooleanLiteral', replacement: 'true', reason: null }
  }),
)
const draw = (mutants: readonly MutationResult[], seed: string) => drawInOrder(mutants, seed, (mutant) => mutant)

it('the first mutants to be judged come from all files, not from the first files', () => {
  expect(
    new Set(
      draw(MUTANTS, 'seed')
        .map(({ file }) => file)
        .slice(0, 20),
    ),
  ).toEqual(new Set(FILES))
})

it('the order is the same for one seed, and another for another', () => {
  expect(draw(MUTANTS.toReversed(), 'seed')).toEqual(draw(MUTANTS, 'seed'))
  expect(draw(MUTANTS, 'other')).not.toEqual(draw(MUTANTS, 'seed'))
})

it('after a run that was ended, a mutant without a test counts only if its turn had come', () => {
  const inOrder = draw(MUTANTS, 'seed')
  const early = { ...inOrder[3], status: 'NoCoverage' } as MutationResult
  const late = { ...inOrder[80], status: 'NoCoverage' } as MutationResult
  const judged = [early, late, ...inOrder.slice(0, 3), ...inOrder.slice(4, 40)]
  expect(untilLastRun(judged, 'seed')).toEqual([...inOrder.slice(0, 3), early, ...inOrder.slice(4, 40)])
})
