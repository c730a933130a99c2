import { expect, it } from 'vitest'
import { toCsvCell, toCsvLine } from './csv.ts'

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['@sum', "'@sum"],
  ['-2+3', "'-2+3"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['-12.50', '-12.50'],
  ['a, b', '"a, b"'],
  ['say "x"', '"say ""x"""'],
  ['=a"b', `"'=a""b"`],
  [null, ''],
  [undefined, ''],
  [true, 'true'],
  [7, '7'],
  [{ city: 'Laval' }, '"{""city"":""Laval""}"'],
])('the cell of %j is %s', (value, cell) => {
  expect(toCsvCell(value)).toBe(cell)
})

it('a line ends as RFC 4180 says', () => {
  expect(toCsvLine(['a', 1, null])).toBe('a,1,\r\n')
})
