import { describe, expect, it } from 'vitest'
import { reasonOf } from './reason-of.ts'

describe('the reason of a failure', () => {
  it.each<[string, unknown, string]>([
    ['its text', new TypeError('no table'), 'no table'],
    ['its code where it has no text', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['its name where it has neither', new RangeError(), 'RangeError'],
    ['what was thrown, if it is no error', 'broken', 'broken'],
  ])('is %s', (_what, error, reason) => {
    expect(reasonOf(error)).toBe(reason)
  })
})
