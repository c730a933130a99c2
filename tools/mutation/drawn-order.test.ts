import { expect, it } from 'vitest'
import { drawInOrder } from './drawn-order.ts'
import type { MutationResult } from './mutation-results.ts'

const FILES = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']
const MUTANTS = FILES.flatMap((file) =>
  Array.from({ length: 25 }, (_, line): MutationResult => {
    return { status: 'Killed', file, line, mutator: 'BooleanLiteral', replacement: 'true', reason: null }
  }),
)
const draw = (mutants: readonly MutationResult[], seed: string) => drawInOrder(mutants, seed, (mutant) => mutant)

it('the mutants of a file follow each other, in an order that is not that of their lines', () => {
  const files = draw(MUTANTS, 'seed').map(({ file }) => file)
  expect(files.filter((file, at) => file !== files[at - 1]).toSorted()).toEqual(FILES)
  const lines = draw(MUTANTS, 'seed')
    .slice(0, 25)
    .map(({ line }) => line)
  expect(lines).not.toEqual(lines.toSorted((a, b) => a - b))
})

it('with another seed another file comes first', () => {
  const first = Array.from({ length: 20 }, (_, seed) => draw(MUTANTS, String(seed))[0]?.file)
  expect(new Set(first)).toEqual(new Set(FILES))
})

it('the order is the same for one seed, and another for another', () => {
  expect(draw(MUTANTS.toReversed(), 'seed')).toEqual(draw(MUTANTS, 'seed'))
  expect(draw(MUTANTS, 'other')).not.toEqual(draw(MUTANTS, 'seed'))
})
