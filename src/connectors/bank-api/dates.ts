import type { Json } from '../../model/values/json.ts'
import { type Day, parseDay, parseInstant, toDay } from '../../model/values/timestamps.ts'
import type { DateRule } from './profile-rules.ts'

type Form = DateRule['form']

/**
 * Calendar day as written by the bank; an instant becomes its day in its own time zone. Impossible days throw
 * `RangeError`.
 */
export function readDay(value: Json, form: Form): Day | null {
  if (value === null || value === '') return null
  switch (form) {
    case 'day':
    case 'instant':
      return parseDay(textOf(value))
    case 'compact':
      return dayOf(/^(\d{4})(\d{2})(\d{2})/.exec(textOf(value)), 1, 2, 3)
    case 'MM/DD/YYYY':
      return dayOf(/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(textOf(value)), 3, 1, 2)
    case 'DD/MM/YYYY':
      return dayOf(/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(textOf(value)), 3, 2, 1)
    case 'parts':
      return partsDay(value)
    case 'epochSeconds':
    case 'epochMilliseconds':
      return parseDay(readInstant(value, form)?.toISOString())
  }
}

export function readInstant(value: Json, form: Form): Date | null {
  if (value === null || value === '') return null
  if (form === 'instant') return parseInstant(textOf(value))
  const count = Number(value)
  const instant = new Date(form === 'epochSeconds' ? count * 1000 : count)
  if ((typeof value !== 'string' && typeof value !== 'number') || Number.isNaN(instant.getTime())) throw new RangeError('not a time')
  return instant
}

function partsDay(value: Json): Day {
  if (!Array.isArray(value)) throw new RangeError('not a day')
  const [year, month, day] = value.map(Number)
  return toDay(year ?? 0, month ?? 0, day ?? 0)
}

function dayOf(match: RegExpExecArray | null, year: number, month: number, day: number): Day {
  if (!match) throw new RangeError('not a day')
  return toDay(Number(match[year]), Number(match[month]), Number(match[day]))
}

function textOf(value: Json): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new RangeError('not a day')
  return String(value)
}
