import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EQUIVALENT_MUTANTS, linesOf } from './equivalent-mutants.ts'

it('each mutant that is recorded as equivalent quotes a line that is there, once, and gives a reason', () => {
  const keys = EQUIVALENT_MUTANTS.map(({ file, code, replacement }) => `${file}: ${code} -> ${replacement}`)
  const isStale = EQUIVALENT_MUTANTS.map(
    ({ file, code, why }) => why === '' || !existsSync(file) || !linesOf(file).some((line) => line.trim() === code),
  )
  expect(keys.filter((key, at) => isStale[at] || keys.indexOf(key) !== at)).toEqual([])
})
