import { maskAccountNumber } from '../../model/values/text.ts'

/**
 * Masked account number: the number as the bank displays it to its customer, else its last four digits, else the end of
 * any other number.
 */
export function toMask(display: unknown, lastFour: unknown, number: unknown): string {
  return shown(display) || shown(lastFour) || maskAccountNumber(textOf(number))
}

/** Up to four letters or digits are a truncated number already. */
function shown(value: unknown): string {
  const kept = textOf(value).replace(/[^0-9A-Za-z]/g, '')
  return kept !== '' && kept.length <= 4 ? `••••${kept}` : maskAccountNumber(kept)
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
