import { describe, expect, it } from 'vitest'
import { SourceError } from '../../contract/contract.ts'
import { answerJson, isJsonObject, jsonBytes, property, responseJson, retryAfterMs } from './answers.ts'
import { basicAuthorization, isSuccess } from './status-failures.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const faultOf = (read: () => unknown): SourceError => {
  try {
    read()
  } catch (error) {
    if (error instanceof SourceError) return error
    throw error
  }
  throw new Error('no error')
}

describe('a stored answer', () => {
  it('is JSON', () => {
    expect(answerJson({ page: jsonBytes({ a: [1, 'é'] }) }, 'page')).toEqual({ a: [1, 'é'] })
  })

  it.each([
    ['<html>secret</html>', 'page: the source answered a page of HTML or XML'],
    ['  <html>', 'page: the source answered a page of HTML or XML'],
    ['{"token":"se', 'page: the source answered 12 characters that are no JSON'],
    ['', 'page: the source answered 0 characters that are no JSON'],
  ])('that is %j is bad data, of which nothing is quoted', (text, message) => {
    const fault = faultOf(() => answerJson({ page: bytes(text) }, 'page'))
    expect([fault.kind, fault.message, fault.cause]).toEqual(['badData', message, undefined])
    expect(faultOf(() => responseJson({ status: 200, headers: {}, body: bytes(text) }, 'page')).message).toBe(message)
  })

  it('that is missing is bad data', () => {
    expect(faultOf(() => answerJson({}, 'page')).kind).toBe('badData')
  })
})

describe('Retry-After', () => {
  const NOW = new Date('2026-11-20T08:00:00Z')
  it.each<[string, Record<string, string>, number]>([
    ['that is absent', {}, 7],
    ['in seconds', { 'retry-after': '120' }, 120_000],
    ['of no seconds', { 'retry-after': '0' }, 0],
    ['with more digits than seconds have', { 'retry-after': '1234567890x' }, 7],
    ['with words', { 'retry-after': 'soon' }, 7],
    ['with digits and words', { 'retry-after': 'x10' }, 7],
    ['as a date', { 'retry-after': 'Fri, 20 Nov 2026 08:00:30 GMT' }, 30_000],
    ['as a date that is over', { 'retry-after': 'Fri, 20 Nov 2026 07:00:00 GMT' }, 0],
    [
      'as a date by a clock that is late',
      { 'retry-after': 'Fri, 20 Nov 2026 07:00:30 GMT', date: 'Fri, 20 Nov 2026 07:00:00 GMT' },
      30_000,
    ],
    ['as a date beside a date that is none', { 'retry-after': 'Fri, 20 Nov 2026 08:00:30 GMT', date: 'today' }, 30_000],
  ])('%s', (_, headers, expected) => {
    expect(retryAfterMs(headers, NOW, 7)).toBe(expected)
  })
})

it.each([
  [199, false],
  [200, true],
  [206, false],
  [299, true],
  [300, false],
])('the status %s is a success: %s', (status, expected) => {
  expect(isSuccess({ status })).toBe(expected)
})

it('a property of anything but an object is absent', () => {
  expect([property({ a: 1 }, 'a'), property([1], '0'), property('a', 'length'), property(null, 'a'), property(undefined, 'a')]).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect([isJsonObject({}), isJsonObject([]), isJsonObject(null), isJsonObject('')]).toEqual([true, false, false, false])
})

it('a user’s name and password may have any letters', () => {
  expect(Buffer.from(basicAuthorization('é', 'p:ß').slice('Basic '.length), 'base64').toString()).toBe('é:p:ß')
})
