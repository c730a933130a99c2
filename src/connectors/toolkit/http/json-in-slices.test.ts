import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../model/values/json.ts'
import { parseJsonInSlices } from './json-in-slices.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Result of a parser, or that it found no JSON. */
async function outcomeOf(parse: () => unknown): Promise<{ value: unknown } | 'no JSON'> {
  try {
    return { value: await parse() }
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON'
    throw error
  }
}

async function expectSame(bytes: Uint8Array, sliceBytes?: number): Promise<void> {
  const expected = await outcomeOf(() => parseJson(new TextDecoder().decode(bytes)))
  const found = await outcomeOf(() => parseJsonInSlices(bytes, sliceBytes))
  // The text has the order of names, and those that are a prototype's.
  expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
  expect(isDeepStrictEqual(found, expected)).toBe(true)
}

/** Texts of JSON, with names twice, literals of any length, and all escapes. */
const { json } = fc.letrec<Record<'json' | 'list' | 'object', string>>((tie) => {
  const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r')
  const escapes = ['\\u0000', '\\\\u0000', '\\ud83d', '\\ude00', '\\uD83D\\uDE00', '\\uFEFF', '\\u00e9', '\\/', '\\b', '\\"', '\\\\']
  const letters = ['\uFEFF', '\u2028', '\u007F', 'é', '漢', '😀', 'a long text of many letters, longer than sixteen bytes']
  const part = fc.oneof(
    fc.constantFrom(...escapes, ...letters),
    fc.string({ unit: 'binary', maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
  )
  const text = fc.array(part, { maxLength: 5 }).map((parts) => `"${parts.join('')}"`)
  const name = fc.oneof(fc.constantFrom('"a"', '"7"', '"__proto__"', '"constructor"', '"\\u0000a"'), text)
  const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/)
  const padded = (inner: fc.Arbitrary<string>) => fc.tuple(space, inner, space).map((parts) => parts.join(''))
  const members = fc.array(
    fc.tuple(padded(name), tie('json')).map(([key, value]) => `${key}:${value}`),
    { maxLength: 4 },
  )
  return {
    json: padded(
      fc.oneof(
        { depthSize: 'small' },
        text,
        number,
        fc.constantFrom('true', 'false', 'null', '-0', '[ ]', '{}'),
        tie('list'),
        tie('object'),
      ),
    ),
    list: fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    object: members.map((all) => `{${all.join(',')}}`),
  }
})

/** Bytes with one fault: changed, left out, added, or cut off. */
const fault = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('change', 'remove', 'insert', 'cut'),
  byte: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...encode('"\\{}[],:0 1-.eEtn\u0000'), 0xef, 0xff)),
})

function spoil(bytes: Uint8Array, { at, kind, byte }: { at: number; kind: string; byte: number }): Uint8Array {
  const place = at % (bytes.length + 1)
  const rest = kind === 'cut' ? [] : bytes.subarray(kind === 'insert' ? place : place + 1)
  return Uint8Array.from([...bytes.subarray(0, place), ...(kind === 'insert' || kind === 'change' ? [byte] : []), ...rest])
}

describe('JSON in slices', () => {
  it('is what parseJson reads, wherever a slice ends', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1, max: 40 }), async (text, sliceBytes) => {
        for (const size of [1, sliceBytes, undefined]) await expectSame(encode(text), size)
      }),
      { numRuns: 500 },
    )
  })

  it('is refused or read as by parseJson, whatever happened to its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        json,
        fc.array(fault, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        async (text, faults, sliceBytes) => {
          const bytes = faults.reduce(spoil, encode(text))
          for (const size of [1, sliceBytes, undefined]) await expectSame(bytes, size)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it.each<[string, string | number[]]>([
    ['no text', ''],
    ['only spaces', ' \n'],
    ['a number', '12345678901234567890'],
    ['a number with a sign and no digits', '-'],
    ['a number with a leading zero', '[01]'],
    ['a number that ends with a point', '[1.]'],
    ['a number beyond those of a double', '[1e400,-1e-400,-0]'],
    ['a list with a last comma', '[1,]'],
    ['an object with a last comma', '{"a":1,}'],
    ['a list that ends as an object', '[1}'],
    ['a text that is not closed', '"abc'],
    ['a text with a line break', '"a\nb"'],
    ['an unknown escape', '"\\x41"'],
    ['half an escape', '"\\u00'],
    ['a word cut off', '[tru'],
    ['a word with a letter more', '[nulll]'],
    ['two values', '{} {}'],
    ['a space that JSON has not', '[\u00a01]'],
    ['a byte order mark', '\uFEFF{"\uFEFFa":"\uFEFF"}'],
    ['two byte order marks', '\uFEFF\uFEFF{}'],
    ['a byte order mark inside', '[\uFEFF"a"]'],
    ['bytes that are not UTF-8', [0x22, 0xff, 0xe2, 0x82, 0x22]],
    ['UTF-8 that is cut off', [0x22, 0x61, 0xe2, 0x82]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a page of HTML', '<html>'],
  ])('with %s is read or refused as by parseJson', async (_, content) => {
    const bytes = typeof content === 'string' ? encode(content) : Uint8Array.from(content)
    for (let size = 1; size <= bytes.length + 1; size += 1) await expectSame(bytes, size)
  })

  it('of a thousand levels is read, and of one more refused', async () => {
    const nested = (levels: number, inner: string) => encode(`${'{"a":['.repeat(levels / 2)}${inner}${']}'.repeat(levels / 2)}`)
    await expectSame(nested(1_000, '7'))
    await expect(parseJsonInSlices(nested(1_000, '[7]'))).rejects.toThrow(SyntaxError)
  })
})
