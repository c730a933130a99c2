import { maskAccountNumber } from '../../model/values/text.ts'

/** Masked account number: the bank's own last four digits, else the end of the full number. */
export function toMask(lastFour: unknown, number: unknown): string {
  const kept = textOf(lastFour).replace(/[^0-9A-Za-z]/g, '')
  return kept !== '' && kept.length <= 4 ? `••••${kept}` : maskAccountNumber(kept || textOf(number))
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
