import { expect, it } from 'vitest'
import { readByteRange } from './byte-range.ts'

it.each<[string | undefined, ReturnType<typeof readByteRange>]>([
  ['bytes=0-', { start: 0, end: 100 }],
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=10-19', { start: 10, end: 20 }],
  [' bytes=99- ', { start: 99, end: 100 }],
  ['bytes=5-5', { start: 5, end: 6 }],
  ['bytes=10-99', { start: 10, end: 100 }],
  ['bytes=10-98', { start: 10, end: 99 }],
  ['bytes=10-1000', { start: 10, end: 100 }],
  ['bytes=-1', { start: 99, end: 100 }],
  ['bytes=-100', { start: 0, end: 100 }],
  ['bytes=-1000', { start: 0, end: 100 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=6-5', null],
  ['bytes=-', null],
  ['bytes=0-1,3-4', null],
  ['x bytes=0-1', null],
  ['bytes=0-1 x', null],
  ['records=0-1', null],
  ['', null],
  [undefined, null],
])('of 100 bytes, the range %s is %j', (header, range) => {
  expect(readByteRange(header, 100)).toEqual(range)
})
