import type { LocalizedText } from '../../../model/text.ts'
import { faultAt } from '../refusal.ts'

const PLUS = 0x2b
const MINUS = 0x2d
const ZERO = 0x30
const LONG_NUMBER = /^[+-]?\d{1,30}$/

/** What a trailer says and what was found, in the unit of the trailer (minor units, records, accounts, groups). */
interface Check {
  stated: string | undefined
  found: bigint
  en: string
  french: string
}

/** Digits that a double holds exactly. */
const EXACT_DIGITS = 15

/** A whole number with an optional sign, as a double where that is exact; null for anything else. */
export function wholeNumber(text: string | undefined): number | bigint | null {
  const trimmed = text?.trim() ?? ''
  const first = trimmed.charCodeAt(0)
  const start = first === MINUS || first === PLUS ? 1 : 0
  const { length } = trimmed
  if (length === start || length - start > EXACT_DIGITS) return LONG_NUMBER.test(trimmed) ? BigInt(trimmed) : null
  let value = 0
  for (let at = start; at < length; at += 1) {
    const digit = trimmed.charCodeAt(at) - ZERO
    if (!(digit >= 0 && digit <= 9)) return null
    value = value * 10 + digit
  }
  return first === MINUS ? -value : value
}

/** First figure of a trailer that does not agree with the file. The first one must be there; blank ones after it are not checked. */
export function trailerFault(line: number, record: string, checks: readonly Check[]): LocalizedText | null {
  for (const [index, { stated, found, en, french }] of checks.entries()) {
    if (index > 0 && (stated === undefined || stated.trim() === '')) continue
    const whole = wholeNumber(stated)
    const figure = whole === null ? null : BigInt(whole)
    if (figure === found) continue
    const said = figure === null ? '?' : String(figure)
    return faultAt(
      line,
      `${en} in record ${record} is ${said}, but the records above give ${found}.`,
      `${french} de l’enregistrement ${record} est ${said}, mais les enregistrements qui précèdent donnent ${found}.`,
    )
  }
  return null
}
