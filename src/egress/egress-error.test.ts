import { describe, expect, test } from 'vitest'
import { EgressError, nameOf } from './egress-error.ts'

const secret = 'https://user:secret@bank.example/?token=abc'

describe('a failed request', () => {
  test('is told by fixed words, and its cause by a name and a code at most', () => {
    const error = new EgressError('cut', Object.assign(new TypeError(`reset by ${secret}`), { code: 'ECONNRESET', input: secret }))
    expect([error.name, error.failure, error.message, error.cause]).toEqual([
      'EgressError',
      'cut',
      'the connection broke off',
      'TypeError ECONNRESET',
    ])
  })

  test.each([
    ['unreachable', 'the address could not be reached'],
    ['timeout', 'no complete answer in time'],
    ['cut', 'the connection broke off'],
    ['tooLarge', 'the answer is too large'],
    ['cancelled', 'the request was cancelled'],
    ['closed', 'the deployment is a restored copy that is paused, and calls nobody'],
  ] as const)('that is %s says so', (failure, message) => {
    expect(new EgressError(failure).message).toBe(message)
  })

  test('has no cause where there is none', () => {
    expect('cause' in new EgressError('timeout')).toBe(false)
    expect(new EgressError('timeout').message).toBe('no complete answer in time')
  })
})

test.each([
  [new RangeError(secret), 'RangeError'],
  [Object.assign(new Error(secret), { code: 7 }), 'Error'],
  [Object.assign(new Error(secret), { code: 'ENOTFOUND' }), 'Error ENOTFOUND'],
  [secret, 'string'],
  [{ name: secret, code: secret }, 'object'],
  [null, 'object'],
])('what is kept of an error names nothing of it: %#', (error, wanted) => {
  expect(nameOf(error)).toBe(wanted)
})
