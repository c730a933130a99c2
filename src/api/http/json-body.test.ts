import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonBody } from './json-body.ts'

const read = (text: string) => parseJsonBody(Buffer.from(text))

describe('a JSON body', () => {
  it('comes back as JSON.parse reads it, whatever it holds', () => {
    const names = fc.string().filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name) && !name.includes('\0'))
    const texts = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        texts,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('json'), { maxLength: 4 }),
      object: fc.dictionary(names, tie('json'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it.each([
    ['64 levels', '['.repeat(64) + ']'.repeat(64), true],
    ['65 levels', '['.repeat(65) + ']'.repeat(65), false],
    ['the same name in two objects', '[{"a":1},{"a":2},{"b":{"a":3}}]', true],
    ['the same name around an object', '{"a":{"b":1},"a":2}', false],
    ['a text that looks like a name', '{"a":"b","c":"a"}', true],
    ['an escaped backslash before u0000', '{"a":"\\\\u0000"}', true],
    ['the character U+0000', '{"a":"\\u0000"}', false],
    ['the character U+0000 in a list', '["x\\\\\\u0000"]', false],
    ['constructor', '{"constructor":{"prototype":{}}}', false],
  ])('with %s is taken: %s', (_what, text, isTaken) => {
    const outcome = () => read(text)
    if (isTaken) expect(outcome).not.toThrow()
    else expect(outcome).toThrow()
  })

  it('is refused when it is not UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8')
  })

  it('of the largest size is read in well under a second, however hostile', () => {
    const hostile = [
      `"${'\\"'.repeat(130_000)}`,
      '"'.repeat(262_144),
      '['.repeat(262_144),
      `{${'"a":{'.repeat(40_000)}`,
      '\\"'.repeat(131_072),
    ]
    const started = performance.now()
    for (const text of hostile) expect(() => read(text)).toThrow()
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
