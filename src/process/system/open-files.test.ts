import { expect, test } from 'vitest'
import { fitConnections, readFileLimit } from './open-files.ts'

test.each([
  [10_000, 1_048_576, 10_000],
  [10_000, 1_024, 896],
  [10_000, 256, 128],
  [10_000, 64, 32],
  [20, 256, 20],
  [10_000, null, 10_000],
])('of %i connections and %s files %i connections fit', (wanted, files, fitting) => {
  expect(fitConnections(wanted, files)).toBe(fitting)
})

test('a system that does not say how many files may be open limits nothing', () => {
  expect(readFileLimit('/no/such/file')).toBeNull()
})
