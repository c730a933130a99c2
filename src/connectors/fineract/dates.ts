import { type Day, parseDay, toDay } from '../../model/values/timestamps.ts'
import type { DayWire } from './wire.ts'

/** Day from Fineract's `[2026, 11, 20]`. An impossible one throws `RangeError`. */
export function readDay(wire: DayWire | null | undefined): Day | null {
  if (!Array.isArray(wire)) return parseDay(wire)
  const [year, month, day] = wire
  if (year === undefined || month === undefined || day === undefined) throw new RangeError('not a day')
  return toDay(year, month, day)
}
