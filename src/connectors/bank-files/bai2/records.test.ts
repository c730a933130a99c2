import { describe, expect, it } from 'vitest'
import { readRecords } from './records.ts'

const read = (text: string) => [...readRecords(text, (offset) => text.slice(0, offset).split('\n').length)]
const bodies = (text: string) => read(text).map(({ code, body }) => `${code}|${body}`)

describe('records', () => {
  it('are the lines, without the code and the slash, with their offsets', () => {
    expect(read('01,A,B/\n03,123/')).toEqual([
      { code: '01', body: 'A,B', isClosed: true, at: 0, count: 1 },
      { code: '03', body: '123', isClosed: true, at: 8, count: 1 },
    ])
  })

  it('need no slash', () => {
    expect(read('01,A,B')).toEqual([{ code: '01', body: 'A,B', isClosed: false, at: 0, count: 1 }])
  })

  it('are none in an empty text, and blank lines are none', () => {
    expect(read('')).toEqual([])
    expect(bodies('01,A/\r\n\r\n  \n02,B/\n')).toEqual(['01|A', '02|B'])
  })

  it.each([
    ['01,A/ 02,B/', ['01|A', '02|B']],
    ['01,A/\t02,B/', ['01|A', '02|B']],
    ['01,A/  \t 02,B/', ['01|A', '02|B']],
    ['03,1/ 16,475,100/ 49,+200,2/', ['03|1', '16|475,100', '49|+200,2']],
    ['03,1/ 49,-200,2/ 98,-1,1/ 99,-1,1/', ['03|1', '49|-200,2', '98|-1,1', '99|-1,1']],
    ['16,475,100,,,,A/B/ 88,more/', ['16|475,100,,,,A/B more']],
    // Shaped like none: after no blank, or without what follows the code.
    ['16,475,100,,,,A/16,175,1', ['16|475,100,,,,A/16,175,1']],
    ['16,475,100,,,,A/ 16,17,1', ['16|475,100,,,,A/ 16,17,1']],
    ['16,475,100,,,,A/ 49,x,1', ['16|475,100,,,,A/ 49,x,1']],
    ['16,475,100,,,,A/ B/ 99,x', ['16|475,100,,,,A/ B/ 99,x']],
  ])('may be several on one line: %s', (text, expected) => {
    expect(bodies(text)).toEqual(expected)
  })

  it('on several lines, each with several, are found in their order', () => {
    expect(bodies('01,A/ 02,B/\n03,C/x/ 16,475,1/\n99,1,1/')).toEqual(['01|A', '02|B', '03|C/x', '16|475,1', '99|1,1'])
  })
})

describe('a continuation', () => {
  it('counts as a physical record, and says whether a slash ends it', () => {
    expect(read('03,1,USD,010/\n88,100/\n88,200')).toEqual([{ code: '03', body: '1,USD,010,100,200', isClosed: false, at: 0, count: 3 }])
  })

  it.each([
    ['after a slash, which ends an empty field too', '03,1,/\n88,2/', '1,,2'],
    ['after a comma without a slash, which has ended its field', '03,1,\n88,2/', '1,2'],
    ['after neither', '03,1\n88,2/', '1,2'],
  ])('continues the fields %s', (_, text, body) => {
    expect(bodies(text)).toEqual([`03|${body}`])
  })

  it.each([
    ['its text', '16,475,100,,,,RENT/\n88,MAY/', '475,100,,,,RENT MAY', 2],
    ['its text, on a line without a code', '16,475,100,,,,RENT\nMAY', '475,100,,,,RENT MAY', 1],
    ['its text, on further lines', '16,475,100,,,,RENT\n88,MAY\n88,JUNE/', '475,100,,,,RENT MAY JUNE', 3],
    ['its fields, then its text', '16,475,100\n88,,,,RENT\n88,MAY/', '475,100,,,,RENT MAY', 3],
    ['its fields only', '16,475,100,S\n88,1,2,3/', '475,100,S,1,2,3', 2],
  ])('of a transaction continues %s', (_, text, body, count) => {
    expect(read(text).map((record) => [record.body, record.count])).toEqual([[body, count]])
  })

  it('of a transaction does not make text of the next one', () => {
    expect(bodies('16,475,100,,,,RENT\n88,MAY/\n16,475,200\n88,,,,FEES/')).toEqual(['16|475,100,,,,RENT MAY', '16|475,200,,,,FEES'])
  })

  it('without a record before it is refused, with its line', () => {
    expect(() => read('\n88,1/')).toThrow(/2.*continuation \(88\) follows nothing/)
  })
})

describe('a line that belongs to no record', () => {
  it.each([
    ['a first one with another number', '04,1/', /Line 1: a BAI2 file begins with record 01, this one with 04/],
    ['a first one without a number', 'hello', /no BAI2 record/],
    ['one after a record that takes no text', '01,A/\nhello', /2.*no BAI2 record/],
    ['a number without a comma', '01;A', /no BAI2 record/],
    ['an unknown number after a record', '01,A/\n04,1/', /2.*no BAI2 record/],
  ])('is refused: %s', (_, text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})
