import { maskAccountNumber } from '../../../model/values/text.ts'

/** Shorter numbers are too common within other text; their mask shows most of them anyway. */
const MIN_NUMBER = 5

const BLANKS = /[\s\p{Cc}]+/gu
const UNTIDY = /^\s|\s$|\s\s|[^\S ]|\p{Cc}/u

const IBAN = /\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/g

/**
 * Masks a free text of the bank: the account's own number and every valid IBAN show only their last four characters;
 * blanks are normalized.
 */
export function maskText(text: string | null, accountNumber: string): string | null {
  if (text === null) return null
  const tidy = UNTIDY.test(text) ? text.replace(BLANKS, ' ').trim() : text
  if (tidy === '') return null
  let masked = tidy
  for (const number of new Set([accountNumber, accountNumber.replace(/\s/g, '')])) {
    if (number.length >= MIN_NUMBER && masked.includes(number)) masked = masked.replaceAll(number, maskAccountNumber(number))
  }
  return masked.length < 15 ? masked : masked.replace(IBAN, (found) => (isIban(found) ? maskAccountNumber(found) : found))
}

/**
 * ISO 13616 check: with the first four characters moved to the end and letters as 10 to 35, the remainder modulo 97 is
 * 1.
 */
function isIban(text: string): boolean {
  let rest = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
