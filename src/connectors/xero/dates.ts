import { type Day, parseDay, parseInstant } from '../../model/values/timestamps.ts'

const MS_DATE = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/

/**
 * Reads `/Date(1573755038314+0000)/` (milliseconds since 1970, whatever the offset says) or ISO 8601; nonsense throws
 * `RangeError`.
 */
export function toInstant(text: string | null | undefined): Date | null {
  const milliseconds = MS_DATE.exec(text ?? '')?.[1]
  return milliseconds === undefined ? parseInstant(text) : new Date(Number(milliseconds))
}

/** Xero writes a day as midnight UTC of that very day, so its UTC date is the day wherever the organisation is. */
export function toPostingDay(text: string | null | undefined): Day | null {
  const milliseconds = MS_DATE.exec(text ?? '')?.[1]
  return parseDay(milliseconds === undefined ? text : new Date(Number(milliseconds)).toISOString())
}
