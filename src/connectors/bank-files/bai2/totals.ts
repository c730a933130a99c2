import type { LocalizedText } from '../../../model/values/text.ts'
import { faultAt } from '../refusal.ts'

const PLUS = 0x2b
const MINUS = 0x2d
const ZERO = 0x30
const LONG_NUMBER = /^[+-]?\d{1,30}$/

/** Figure of a trailer and the actual one, in the trailer's unit (minor units, records, accounts, groups). */
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

/** First figure of a trailer that contradicts the file; blank and non-numeric ones are ignored. */
export function trailerFault(line: number, record: string, checks: readonly Check[]): LocalizedText | null {
  for (const { stated, found, en, french } of checks) {
    const figure = wholeNumber(stated)
    if (figure === null || BigInt(figure) === found) continue
    return faultAt(
      line,
      `${en} in record ${record} is ${figure}, but the records above give ${found}.`,
      `${french} de l’enregistrement ${record} est ${figure}, mais les enregistrements qui précèdent donnent ${found}.`,
    )
  }
  return null
}
