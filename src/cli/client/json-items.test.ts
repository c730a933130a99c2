import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitItems } from './json-items.ts'

it('keeps every digit of the numbers', () => {
  expect(splitItems('{"data":[{"a":12345678901234567890.1234567891},{"b":[1.10,"]}\\""]}],"cursor":"x"}')).toEqual([
    '{"a":12345678901234567890.1234567891}',
    '{"b":[1.10,"]}\\""]}',
  ])
})

it('finds the items of any list, and none in what is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (items) => {
      const text = JSON.stringify({ data: items, cursor: 'x' })
      expect(splitItems(text)).toEqual(items.map((item) => JSON.stringify(item)))
      const list = JSON.stringify({ data: items }).slice(0, -2)
      expect(splitItems(list)).toBeNull()
    }),
  )
})
