import { maskAccountNumber } from '../../model/values/text.ts'

/** The last four digits as the bank cut them, else the end of the whole number. */
export function toMask(lastFour: unknown, number: unknown): string {
  const kept = textOf(lastFour).replace(/[^0-9A-Za-z]/g, '')
  return kept !== '' && kept.length <= 4 ? `••••${kept}` : maskAccountNumber(kept || textOf(number))
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
