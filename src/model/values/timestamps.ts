declare const dayBrand: unique symbol

/** Calendar day `YYYY-MM-DD`, checked to exist. Days never become instants: a zone would shift them. */
export type Day = string & { readonly [dayBrand]: true }

/** `2026-11-20T17:43:00.123` — UTC without an offset, as the specification prints most timestamps. */
export function toPlainTimestamp(instant: Date): string {
  return instant.toISOString().slice(0, -1)
}

/** `2026-11-20T17:43:00.123+00:00` — for the fields that the specification shows with an offset. */
export function toOffsetTimestamp(instant: Date): string {
  return `${instant.toISOString().slice(0, -1)}+00:00`
}

/** A day as a timestamp with offset: midnight UTC of that very day, so the day itself is never shifted. */
export function dayToOffsetTimestamp(day: Day | null): string | null {
  return day === null ? null : `${day}T00:00:00+00:00`
}

const DAYS_IN_SHORTEST_MONTH = 28
/** Later years have more digits than a day is printed with. */
const LAST_YEAR = 9999

function printDay(year: number, month: number, day: number): Day {
  return `${year}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}` as Day
}

/** Creates a day; throws `RangeError` for days that do not exist, such as 30 February. */
export function toDay(year: number, month: number, day: number): Day {
  const isPlain = day >= 1 && day <= DAYS_IN_SHORTEST_MONTH && month >= 1 && month <= 12 && year >= 1000 && year <= LAST_YEAR
  if (isPlain && [year, month, day].every(Number.isInteger)) return printDay(year, month, day)
  const date = new Date(Date.UTC(year, month - 1, day))
  if (year > LAST_YEAR || date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new RangeError(`no such day: ${year}-${month}-${day}`)
  }
  return date.toISOString().slice(0, 10) as Day
}

/** Parses `YYYY-MM-DD` (longer text is truncated); absent stays null, an impossible day throws `RangeError`. */
export function parseDay(text: string | null | undefined): Day | null {
  if (text === null || text === undefined || text === '') return null
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(text)
  if (!match) throw new RangeError('not a day')
  return toDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

/** A day of a month that may not have it. */
const FEW_DAYS_LEFT = /^\d{4}-\d{2}-(29|3[01])/

/**
 * Parses an ISO 8601 instant; without a zone it is UTC. Absent stays null; invalid text, and a day that does not exist,
 * throws `RangeError`.
 */
export function parseInstant(text: string | null | undefined): Date | null {
  if (text === null || text === undefined || text === '') return null
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/.test(text)
  const instant = new Date(text.length > 10 && !hasZone ? `${text}Z` : text)
  if (Number.isNaN(instant.getTime())) throw new RangeError('not a timestamp')
  // `Date` turns 30 February into 2 March.
  if (FEW_DAYS_LEFT.test(text)) parseDay(text)
  return instant
}
