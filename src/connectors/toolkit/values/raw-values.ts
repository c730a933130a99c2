import { add, type Decimal, negate, toDecimal } from '../../../model/values/decimal.ts'
import type { Json } from '../../../model/values/json.ts'
import { dayToOffsetTimestamp, parseDay, parseInstant } from '../../../model/values/timestamps.ts'

/** Last change of a record in UTC, which sorts as text; empty where the source does not report it. */
export function versionAt(changed: Json | undefined): { version?: string } {
  if (typeof changed !== 'string') return {}
  const instant = orNull(() => parseInstant(changed))
  return instant ? { version: instant.toISOString() } : {}
}

/** Start of a calendar day as our timestamp with offset; null for an absent day. */
export function toDayTimestamp(day: string | null | undefined): string | null {
  return dayToOffsetTimestamp(parseDay(day))
}

/** The last four letters or digits of an account number, which may arrive masked or complete. */
export function toMaskedNumber(number: string | null | undefined): string {
  const kept = (number ?? '').replace(/[^0-9A-Za-z]/g, '')
  return kept === '' ? '' : `••••${kept.slice(-4)}`
}

/** The amount if it is above zero. */
export function positive(value: Decimal | null): Decimal | null {
  return value === null || value === '0' || value.startsWith('-') ? null : value
}

/** Whether the value is an existing calendar day. */
export function isDay(value: Json | undefined): boolean {
  return typeof value === 'string' && orNull(() => parseDay(value)) !== null
}

/** Debit minus credit; null when one of them is not a number. */
export function debitLessCredit(debit: Json | undefined, credit: Json | undefined): Decimal | null {
  const [plus, minus] = [exactOf(debit), exactOf(credit)]
  return plus === null || minus === null ? null : add(plus, negate(minus))
}

function exactOf(amount: Json | undefined): Decimal | null {
  return typeof amount === 'number' || typeof amount === 'string' ? orNull(() => toDecimal(amount)) : null
}

/** Null for unreadable values. */
function orNull<Value>(read: () => Value | null): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
