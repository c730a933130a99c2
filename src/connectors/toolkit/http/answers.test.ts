import { describe, expect, it } from 'vitest'
import { type HttpResponse, SourceError } from '../../contract/contract.ts'
import { answerJson, isJsonObject, jsonBytes, peekJson, peekText, property, responseJson, retryAfterMs } from './answers.ts'
import { basicAuthorization, isSuccess } from './status-failures.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const toResponse = (body: Uint8Array): HttpResponse => ({ status: 200, headers: {}, body })
const faultOf = async (read: () => unknown): Promise<SourceError> => {
  try {
    await read()
  } catch (error) {
    if (error instanceof SourceError) return error
    throw error
  }
  throw new Error('no error')
}

const MEBIBYTE = 1024 * 1024

describe('a stored answer', () => {
  it('is JSON', () => {
    expect(answerJson({ page: jsonBytes({ a: [1, 'é'] }) }, 'page')).toEqual({ a: [1, 'é'] })
  })

  it.each([
    ['<html>secret</html>', 'page: the source answered a page of HTML or XML'],
    ['  <html>', 'page: the source answered a page of HTML or XML'],
    ['{"token":"se', 'page: the source answered 12 bytes that are no JSON'],
    ['', 'page: the source answered 0 bytes that are no JSON'],
  ])('that is %j is bad data, of which nothing is quoted', async (text, message) => {
    for (const read of [() => answerJson({ page: bytes(text) }, 'page'), () => responseJson(toResponse(bytes(text)), 'page')]) {
      const fault = await faultOf(read)
      expect([fault.kind, fault.message, fault.cause]).toEqual(['badData', message, undefined])
    }
  })

  it('that is large and no JSON is bad data, of which nothing is quoted', async () => {
    const fault = await faultOf(() => responseJson(toResponse(bytes(`["${'token '.repeat(MEBIBYTE / 4)}`)), 'page'))
    expect([fault.message, fault.cause]).toEqual(['page: the source answered 1572866 bytes that are no JSON', undefined])
  })

  it('that is missing is bad data', async () => {
    expect((await faultOf(() => answerJson({}, 'page'))).kind).toBe('badData')
  })
})

describe('the parsing of an answer', () => {
  /** How often the parsing of a list of this size comes back to the event loop. */
  async function countReturns(size: number): Promise<number> {
    const row = '{"id":7,"amount":12345678901234.5678,"name":"Café"}'
    const count = Math.floor(size / (Buffer.byteLength(row) + 1))
    const response = toResponse(bytes(`[${`${row},`.repeat(count - 1)}${row}]`))
    let [returns, isOver] = [0, false]
    const next = (): void => {
      returns += 1
      if (!isOver) setImmediate(next)
    }
    setImmediate(next)
    const parsed = await responseJson(response, 'page')
    isOver = true
    if (!Array.isArray(parsed)) throw new Error('no list')
    expect([parsed.length, parsed.at(-1)]).toEqual([count, { id: 7, amount: '12345678901234.5678', name: 'Café' }])
    return returns
  }

  it.each([[1], [32]])('of %s MiB comes back to the event loop after each 64 KiB', async (mebibytes) => {
    expect(await countReturns(mebibytes * MEBIBYTE)).toBeGreaterThanOrEqual(16 * mebibytes)
  })

  it('of 256 KiB takes one step', async () => {
    expect(await countReturns(MEBIBYTE / 4)).toBe(0)
  })
})

describe('a body that should be short', () => {
  it('is JSON, or null', () => {
    expect(peekJson(toResponse(bytes('{"code":"no"}')))).toEqual({ code: 'no' })
    expect(peekJson(toResponse(bytes('<html>')))).toBeNull()
  })

  it('is not read beyond its first 64 KiB', () => {
    const response = toResponse(bytes(`"${'a'.repeat(64 * 1024)}"`))
    expect([peekText(response).length, peekJson(response)]).toEqual([64 * 1024, null])
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
