import { describe, expect, it } from 'vitest'
import { markEquivalent } from './equivalent-mutants.ts'
import { type MutationResult, readMutationResults, scoreOf, tableOf } from './mutation-results.ts'

const verdict = (status: MutationResult['status'], file = 'src/a.ts', reason: string | null = null): MutationResult => ({
  ...{ status, file, reason, line: 1, mutator: 'BlockStatement', replacement: '{}' },
})

describe('a score', () => {
  it('counts a mutant detected by a time-out as detected, and one that no test runs as not detected', () => {
    const score = scoreOf([verdict('Killed'), verdict('Timeout'), verdict('Survived'), verdict('NoCoverage')])
    expect(score).toMatchObject({ judged: 4, killed: 2, timedOut: 1, survived: 2, uncovered: 1, percent: 50 })
  })

  it('excludes mutants that were ignored or could not run, and counts equivalent ones', () => {
    const score = scoreOf([
      verdict('Killed'),
      verdict('RuntimeError'),
      verdict('Ignored'),
      verdict('Ignored', 'src/a.ts', 'Same: only speed'),
    ])
    expect(score).toMatchObject({ judged: 1, killed: 1, survived: 0, equivalent: 1, percent: 100 })
  })
})

it('the interval of a sample narrows with its size, and is not certain even if all are noticed', () => {
  const intervalOf = (killed: number, survived: number) =>
    scoreOf([...Array(killed).fill(verdict('Killed')), ...Array(survived).fill(verdict('Survived'))]).interval.map(Math.round)
  expect([intervalOf(9, 1), intervalOf(90, 10), intervalOf(20, 0), intervalOf(0, 0)]).toEqual([
    [60, 98],
    [83, 94],
    [84, 100],
    [0, 100],
  ])
})

describe('recorded equivalent mutants', () => {
  it('apply to that replacement of that line only, and not if a test detects it', () => {
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

it('a table begins with the file with the lowest score, and ends with the total', () => {
  const table = tableOf([verdict('Killed', 'src/good.ts'), verdict('Survived', 'src/bad.ts')])
  expect(table.split('\n').map((line) => line.split(/ {2,}/).at(-1))).toEqual(['src/bad.ts', 'src/good.ts', 'all'])
})

it('a truncated last line is ignored', () => {
  const line = JSON.stringify(verdict('Killed'))
  expect(readMutationResults(`${line}\n${line.slice(0, 20)}`)).toEqual([verdict('Killed')])
})
