import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

/** Source: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
const PERIOD_SECONDS = 30
const DIGITS = 6
const RECOVERY_CODES = 10
/** Crockford's alphabet: no letter looks like a digit. Source: https://www.crockford.com/base32.html */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export function newTotpSecret(): Uint8Array {
  return randomBytes(20)
}

/** TOTP secret as base32 for typing, and as otpauth URL for authenticator apps. */
export function describeTotp(secret: Uint8Array, issuer: string, account: string): { secret: string; otpauthUrl: string } {
  const totp = totpOf(secret, issuer, account)
  return { secret: totp.secret.base32, otpauthUrl: totp.toString() }
}

/**
 * Time step of a code; null for a wrong code. `driftSteps`: time steps before and after the current one whose codes are
 * accepted too, since phone clocks drift, and people type slowly.
 */
export function findTotpCounter(secret: Uint8Array, code: string, at: Date, driftSteps: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = totpOf(secret, '', '').validate({ token: code, timestamp: at.getTime(), window: driftSteps })
  return delta === null ? null : Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta
}

/** Ten codes of 130 random bits, in groups of five or six characters. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const signs = [...randomBytes(26)].map((byte) => ALPHABET[byte % ALPHABET.length] ?? '').join('')
    return signs.replace(/^(.{5})(.{5})(.{5})(.{5})(.{6})$/, '$1-$2-$3-$4-$5')
  })
}

/** Canonical form of a recovery code for comparison: ignores case, gaps and the usual misreadings. */
export function normalizeRecoveryCode(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
}

function totpOf(secret: Uint8Array, issuer: string, label: string): TOTP {
  const { buffer, byteOffset, byteLength } = secret
  const copy = new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return new TOTP({ issuer, label, algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS, secret: new Secret({ buffer: copy.buffer }) })
}
