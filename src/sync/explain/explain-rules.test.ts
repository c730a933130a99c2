import { describe, expect, it } from 'vitest'
import type { RawRead } from './explain-reads.ts'
import { describeRule } from './explain-rules.ts'

const read = (path: string, value: RawRead['value']): RawRead => ({ path, found: 'value', value })
const rule = (known: Partial<Parameters<typeof describeRule>[0]>) => {
  const { kind, text } = describeRule({
    ...{ connector: 'harbor', field: 'accountName', result: 'Savings', reads: [read('name', 'Savings')], unknownWords: [], code: 'w' },
    ...known,
  })
  return [kind, text]
}

describe('the rule of a field', () => {
  it.each([
    ['that reads nothing', { reads: [] }, 'constant', 'harbor records always have Savings here'],
    ['that reads nothing and is empty', { reads: [], result: '' }, 'constant', 'harbor records always have an empty text here'],
    ['that reads nothing and is nothing', { reads: [], result: null }, 'constant', 'harbor records always have null here'],
    ['that copies', {}, 'copied', 'name as it is'],
    ['that copies a number', { result: '12', reads: [read('a', 7), read('b', 12)] }, 'copied', 'b as it is'],
    ['that copies the whole record', { reads: [read('', 'Savings')] }, 'copied', ' as it is'],
    ['that masks', { result: '••••4410', reads: [read('number', '1234410')] }, 'masked', 'the end of number'],
    ['without a value', { result: null, reads: [read('a', null), read('b', '')] }, 'nothing', 'the source says nothing of it in a, b'],
    ['with an empty result', { result: '', reads: [read('a', 'x')] }, 'nothing', 'the source says nothing of it in a'],
    ['that works it out', { result: '-12', reads: [read('a', 12), read('b', null)] }, 'computed', 'worked out from a'],
    ['that works it out of nothing', { result: 'x', reads: [read('a', null)] }, 'computed', 'worked out from a'],
    [
      'of a word',
      { field: 'kind', result: { type: 'Cash', subType: 'Cd' }, reads: [read('t', 'cd')] },
      'table',
      'kind table of harbor: "cd" → Cash/Cd',
    ],
    [
      'of two words',
      { field: 'kind', result: 'X', reads: [read('t', 'cd'), read('u', 1)] },
      'table',
      'kind table of harbor: "cd", "1" → X',
    ],
    ['of no word', { field: 'kind', result: 'X', reads: [read('t', null)] }, 'table', 'kind table of harbor: nothing → X'],
  ])('%s', (_, known, kind, text) => {
    expect(rule(known)).toEqual([kind, text])
  })

  it('of a word that is not known says so', () => {
    expect(rule({ field: 'kind', result: { type: 'Other', subType: 'Unknown' }, unknownWords: ['a"b', 'c'] })).toEqual([
      ...['unknownWord', 'harbor does not know "a\\"b", "c", so the least certain value Other/Unknown stands'],
    ])
  })

  it('names at most five places', () => {
    const reads = (count: number) => Array.from({ length: count }, (_, at) => read(`p${at}`, at))
    expect(rule({ result: 'x', reads: reads(5) })[1]).toBe('worked out from p0, p1, p2, p3, p4')
    expect(rule({ result: 'x', reads: reads(7) })[1]).toBe('worked out from p0, p1, p2, p3, p4 and 2 more')
    expect(rule({ result: 'x', reads: [read('', 7)] })[1]).toBe('worked out from the whole record')
  })

  it('has its code, without gaps and at most a thousand characters of it', () => {
    const codeOf = (code: string) => describeRule({ connector: 'h', field: 'f', result: 1, reads: [], unknownWords: [], code }).code
    expect(codeOf('  (w)   =>\n  w.a ')).toBe('(w) => w.a')
    expect(codeOf('x'.repeat(1_000))).toBe('x'.repeat(1_000))
    expect(codeOf('x'.repeat(1_001))).toBe(`${'x'.repeat(1_000)}…`)
  })
})
