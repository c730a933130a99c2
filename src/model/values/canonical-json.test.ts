import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CanonicalJson, canonicalJson } from './canonical-json.ts'

const values = fc.letrec<{ value: CanonicalJson }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value')),
  ),
})).value

describe('canonical JSON', () => {
  test('keeps lists in their order, and yes, no and nothing as JSON writes them', () => {
    const text = '{"a":[3,1,[],{"b":false,"c":null},true],"b":"x"}'
    expect(canonicalJson({ b: 'x', a: [3, 1, [], { c: null, b: false }, true] })).toBe(text)
  })

  test('keys stand in order of their UTF-16 units, as in the example of RFC 8785', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7)
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}')
  })

  test('reading the text and writing it again gives the same text', () => {
    fc.assert(fc.property(values, (value) => canonicalJson(JSON.parse(canonicalJson(value))) === canonicalJson(value)))
  })

  test('the order in which keys were set does not show', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        return canonicalJson(turned) === canonicalJson(value)
      }),
    )
  })

  test.each([0.1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])('the number %s is refused', (value) => {
    expect(() => canonicalJson({ value })).toThrow(RangeError)
  })

  test.each(['\ud800', 'a\udc00b'])('text with half a surrogate pair is refused', (value) => {
    expect(() => canonicalJson([value])).toThrow(RangeError)
    expect(() => canonicalJson({ [value]: 1 })).toThrow(RangeError)
  })
})
