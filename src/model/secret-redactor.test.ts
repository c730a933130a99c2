import { describe, expect, it } from 'vitest'
import { SecretRedactor } from './secret-redactor.ts'

const SECRET = 'se"cret \\ é+/='

const redactorOf = (...values: string[]): SecretRedactor => {
  const redactor = new SecretRedactor()
  for (const value of values) redactor.add(value)
  return redactor
}

describe('a known secret', () => {
  it.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(SECRET).slice(1, -1)).slice(1, -1)],
    ['in JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify(SECRET).slice(1, -1)).slice(1, -1)).slice(1, -1)],
    ['in a query', encodeURIComponent(SECRET)],
    ['in a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['in Base64', Buffer.from(SECRET).toString('base64')],
    ['in Base64 without its end', Buffer.from(SECRET).toString('base64').replace(/=+$/, '')],
  ])('is found %s', (_, text) => {
    const redactor = redactorOf(SECRET)
    for (const [before, after] of [
      ['', ''],
      ['a ', ''],
      ['', ' b'],
      ['a ', ' b'],
    ])
      expect(redactor.redact(`${before}${text}${after}`).replace(/=+/, '')).toBe(`${before}[secret]${after}`)
  })

  it('is found each time, side by side and among others', () => {
    const redactor = redactorOf('first-secret', 'second-secret')
    expect(redactor.redact('first-secretfirst-secret, second-secret.')).toBe('[secret][secret], [secret].')
  })

  it('is found whole where another begins with the same letters', () => {
    expect(redactorOf('12345678', '12345678-longer').redact('12345678-longer 12345678')).toBe('[secret] [secret]')
    expect(redactorOf('12345678-longer', '12345678').redact('12345678-longer 12345678')).toBe('[secret] [secret]')
  })

  it('with half a character does no harm', () => {
    expect(redactorOf('secret-\ud800-half').redact('secret-\ud800-half')).toBe('[secret]')
  })
})

it('a text without a secret is left as it is', () => {
  expect(redactorOf().redact('a text of this kind')).toBe('a text of this kind')
  expect(redactorOf('12345678').redact('1234567 12345679 123')).toBe('1234567 12345679 123')
  expect(redactorOf('12345678').redact('')).toBe('')
})

it('a value of fewer than eight characters is not kept', () => {
  expect(redactorOf('1234567').redact('a 1234567 b')).toBe('a 1234567 b')
  expect(redactorOf('12345678').redact('a 12345678 b')).toBe('a [secret] b')
})

it('the newest values are kept, and one that is added again is new', () => {
  const redactor = new SecretRedactor(2)
  for (const value of ['secret-a', 'secret-b', 'secret-a', 'secret-c']) redactor.add(value)
  expect(redactor.redact('secret-a secret-b secret-c')).toBe('[secret] secret-b [secret]')
})
