import { describe, expect, it } from 'vitest'
import { bankOfHeader, readFields } from './messages.ts'

const fields = (text: string) => [...readFields(text)].map(({ tag, text: content }) => `${tag}|${content}`)

describe('the fields of a message', () => {
  it('have tags of two digits and perhaps a letter, and all lines up to the next', () => {
    expect(fields(':20:A\n:28C:1/1\n:61:one\ntwo\r\nthree\n:86:x')).toEqual(['header|', '20|A', '28C|1/1', '61|one\ntwo\nthree', '86|x'])
  })

  it.each(['61:', ':6:x', ':6a:x', ':a1:x', ':61', ':61c:x', ':61[:x', ':61@:x', ':61A', ':61AB:x', '::61:', ':/1:x', ':6::x'])(
    'do not begin with %s',
    (line) => {
      expect(fields(`:86:a\n${line}\nb`)).toEqual([`86|a\n${line}\nb`])
    },
  )

  it('have their offsets', () => {
    expect([...readFields(':20:A\r\n:86:b\n')].map(({ tag, at }) => [tag, at])).toEqual([
      ['header', 0],
      ['20', 0],
      ['86', 7],
    ])
  })

  it.each(['-', '-}', '-}{5:x}', '- x', '-abcd'])('end with a message: %s', (end) => {
    expect(fields(`:86:a\n${end}\nbetween\n:20:B`)[0]).toBe('86|a')
    expect(fields(`:86:a\n${end}\nbetween\n:20:B`).slice(1)).toEqual([`header|${end}between\n`, '20|B'])
  })

  it('do not end with a line of text that begins with a dash', () => {
    expect(fields(':86:a\n-abcde\n')).toEqual(['86|a\n-abcde'])
  })

  it('are none in an empty text', () => {
    expect(fields('')).toEqual([])
  })
})

describe('a bank’s own fields', () => {
  const own = (text: string) => [...readFields(text)].map(({ text: content, withOwnFields }) => [content, withOwnFields])

  it('belong to the field before them, of which the text is known without them too', () => {
    expect(own(':86:a\n:NS:01x\n02y')).toEqual([['a', 'a\n:NS:01x\n02y']])
    expect(own(':86:a\nb\n:NS:1\n:AZ:2')).toEqual([['a\nb', 'a\nb\n:NS:1\n:AZ:2']])
  })

  it.each([':ns:x', ':N:x', ':NSX:x', ':N1:x', ':1N:x', 'NS:x', ':[S:x', ':@S:x', ':N[:x', ':N@:x'])('do not begin with %s', (line) => {
    expect(own(`:86:a\n${line}`)).toEqual([[`a\n${line}`, undefined]])
  })
})

it('of what stands before a message at most 2,000 characters and a line are kept', () => {
  expect(fields(`${'x'.repeat(1_998)}\ny\nz\n:20:A`)[0]).toBe(`header|${'x'.repeat(1_998)}\ny\n`)
})

it.each([
  ['{1:F01ABNANL2AXXXX0000000000}{2:O9401200260228DEUTDEFFXXXX00000000002602281200N}', 'DEUTDEFF'],
  ['{1:F01ABNANL2AXXXX0000000000}{2:I940ABNANL2AXXXXN}', 'ABNANL2A'],
  ['01ABNANL2A', 'ABNANL2A'],
  ['x01ABNANL2A', null],
  ['{1:F01abnanl2a', null],
  ['', null],
])('the bank of the header %s is %s', (header, bank) => {
  expect(bankOfHeader(header)).toBe(bank)
})
