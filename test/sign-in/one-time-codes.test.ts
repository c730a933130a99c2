import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import {
  describeTotp,
  findTotpCounter,
  newRecoveryCodes,
  newTotpSecret,
  normalizeRecoveryCode,
} from '../../src/api/access/login/one-time-codes.ts'

/** Secret, times and last six digits of the codes of RFC 6238, appendix B. Source: https://www.rfc-editor.org/rfc/rfc6238#appendix-B */
const RFC_SECRET = Buffer.from('12345678901234567890')
const RFC_CODES = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
] as const

describe('codes of an authenticator app', () => {
  it.each(RFC_CODES)('at %i s are those of the standard, each with the number of its half minute', (second, code) => {
    expect(findTotpCounter(RFC_SECRET, code, new Date(second * 1_000), 1)).toBe(Math.floor(second / 30))
  })

  it('of the half minute before and after are taken, with their own numbers, so that none works twice', () => {
    const of = (offset: number) => findTotpCounter(RFC_SECRET, '287082', new Date((59 + offset) * 1_000), 1)
    expect([-60, -30, 0, 30, 60].map(of)).toEqual([null, 1, 1, 1, null])
  })

  it('are taken in their own half minute only where the operator allows no drift', () => {
    const of = (offset: number) => findTotpCounter(RFC_SECRET, '287082', new Date((59 + offset) * 1_000), 0)
    expect([-30, -29, 0, 1, 30].map(of)).toEqual([null, 1, 1, null, null])
  })

  it.each(['28708', '2870821', ' 287082', '287082 ', 'x287082', '287082x', '28708a', '2870 82', ''])(
    'that are written as %j are none',
    (code) => {
      expect(findTotpCounter(RFC_SECRET, code, new Date(59_000), 1)).toBeNull()
    },
  )

  it('are those of an app that has read the address', () => {
    const secret = newTotpSecret()
    const { secret: typed, otpauthUrl } = describeTotp(secret, 'Countinghouse', 'ann@example.com')
    const url = new URL(otpauthUrl)
    const { secret: told, issuer, digits, period, algorithm } = Object.fromEntries(url.searchParams)
    const at = Date.parse('2026-05-04T10:30:00Z')
    const code = new TOTP({ secret: typed }).generate({ timestamp: at })
    expect([told, issuer, digits, period, algorithm]).toEqual([typed, 'Countinghouse', '6', '30', 'SHA1'])
    expect(decodeURIComponent(url.pathname)).toContain('Countinghouse:ann@example.com')
    expect(findTotpCounter(secret, code, new Date(at), 1)).toBe(at / 30_000)
  })

  it('need a secret of 160 random bits', () => {
    expect(newTotpSecret()).not.toEqual(newTotpSecret())
    expect(newTotpSecret().length).toBe(20)
  })
})

describe('recovery codes', () => {
  it('are ten different ones, of 26 signs none of which looks like another, in groups', () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{6}$/)
    const signs = new Set(Array.from({ length: 40 }, newRecoveryCodes).flat().join(''))
    expect([...signs].sort().join('')).toBe('-0123456789ABCDEFGHJKMNPQRSTVWXYZ')
  })

  it('are the same in small letters, with blanks or without dashes, and with the letters that people read for digits', () => {
    const code = '01AB1-CDE0F-00111-ZZZZZ-012345'
    const typed = [
      '01ab1-cde0f-00111-zzzzz-012345',
      ' 01AB1 CDE0F\t00111\nZZZZZ 012345 ',
      '01AB1CDE0F00111ZZZZZ012345',
      'OiABl-CDEoF-OoIlL-ZZZZZ-oI2345',
    ]
    expect(new Set([code, ...typed].map(normalizeRecoveryCode))).toEqual(new Set(['01AB1CDE0F00111ZZZZZ012345']))
    expect(normalizeRecoveryCode('01AB1-CDE0F-00111-ZZZZZ-012346')).not.toBe(normalizeRecoveryCode(code))
  })
})
