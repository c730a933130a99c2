import { describe, expect, it } from 'vitest'
import { EQUIVALENT_MUTANTS, linesOf, markEquivalent } from './equivalent-mutants.ts'
import { type MutationResult, readMutationResults, scoreOf, tableOf } from './mutation-results.ts'

const verdict = (status: MutationResult['status'], file = 'src/a.ts', reason: string | null = null): MutationResult => ({
  ...{ status, file, reason, line: 1, mutator: 'BlockStatement', replacement: '{}' },
})

describe('a score', () => {
  it('counts what a time-out noticed as noticed, and what no test runs as not', () => {
    const score = scoreOf([verdict('Killed'), verdict('Timeout'), verdict('Survived'), verdict('NoCoverage')])
    expect(score).toMatchObject({ judged: 4, killed: 2, survived: 2, uncovered: 1, percent: 50 })
  })

  it('leaves out what was ignored or could not run, and counts what is said to be no different', () => {
    const score = scoreOf([
      verdict('Killed'),
      verdict('RuntimeError'),
      verdict('Ignored'),
      verdict('Ignored', 'src/a.ts', 'Same: only speed'),
    ])
    expect(score).toMatchObject({ judged: 1, killed: 1, survived: 0, equivalent: 1, percent: 100 })
  })
})

describe('what is written down as no different', () => {
  it('stands in the code as it says', () => {
    const gone = EQUIVALENT_MUTANTS.filter(({ file, code }) => !linesOf(file).some((line) => line.trim() === code))
    expect(gone).toEqual([])
  })

  it('counts for that replacement of that line only, and not where a test notices it', () => {
    const known = [{ file: 'src/a.ts', code: 'a < b', replacement: 'a <= b', why: 'never equal' }]
    const marked = (line: number, replacement: string, status: MutationResult['status'] = 'Survived') =>
      markEquivalent([{ ...verdict(status), line, replacement }], known, () => ['a < b', 'b < a'])[0]?.status
    expect([marked(1, 'a <=\n b'), marked(2, 'a <= b'), marked(1, 'a > b'), marked(1, 'a <= b', 'Killed')]).toEqual([
      'Ignored',
      'Survived',
      'Survived',
      'Killed',
    ])
  })
})

it('a table begins with the file of which the least is noticed, and ends with all', () => {
  const table = tableOf([verdict('Killed', 'src/good.ts'), verdict('Survived', 'src/bad.ts')])
  expect(table.split('\n').map((line) => line.split(/ {2,}/).at(-1))).toEqual(['src/bad.ts', 'src/good.ts', 'all'])
})

it('a last line that was cut off is no verdict', () => {
  const line = JSON.stringify(verdict('Killed'))
  expect(readMutationResults(`${line}\n${line.slice(0, 20)}`)).toEqual([verdict('Killed')])
})
