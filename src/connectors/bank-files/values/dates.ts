import { type Day, dayToOffsetTimestamp, parseDay, parseInstant, toDay, toOffsetTimestamp } from '../../../model/values/timestamps.ts'
import type { Format } from '../wire.ts'

/** Date of a statement: always a day, and an instant where the file has a time. */
interface Moment {
  day: Day
  instant: Date | null
}

/** `YYYYMMDD`, optionally `HHMM[SS[.mmm]]`, optionally a zone as hours from UTC: `[-5:EST]`, `[-3.5:NST]`. Without one it is UTC. */
const OFX_DATE =
  /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:\.(\d{1,6}))?)?\s*(?:\[([+-]?\d{1,2}(?:\.\d{1,2})?)(?::[^\]]{0,10})?\])?/

/** Two-digit years from here on are in the last century. */
const CENTURY_PIVOT = 80

const HOUR_MS = 3_600_000

/** Calendar day as written: never shifted by a time zone. Null stays null; an impossible day throws `RangeError`. */
export function readDay(format: Format, text: string | null | undefined): Day | null {
  return readMoment(format, text)?.day ?? null
}

/** ISO 8601 with offset; a date without a time is midnight UTC of that very day. */
export function readTimestamp(format: Format, text: string | null | undefined): string | null {
  const moment = readMoment(format, text)
  if (moment === null) return null
  return moment.instant === null ? dayToOffsetTimestamp(moment.day) : toOffsetTimestamp(moment.instant)
}

/** ISO instant that orders statements; a day without a time counts as its end. */
export function readVersion(format: Format, text: string | null | undefined): string | null {
  const moment = readMoment(format, text)
  if (moment === null) return null
  return moment.instant?.toISOString() ?? `${moment.day}T23:59:59.999Z`
}

/** The first readable date; null if there is none. */
export function firstReadable(format: Format, texts: readonly (string | null | undefined)[]): string | null {
  return texts.find((text) => isReadable(format, text) && readMoment(format, text) !== null) ?? null
}

/** Whether a date is absent or exists. */
export function isReadable(format: Format, text: string | null | undefined): boolean {
  try {
    readMoment(format, text)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function readMoment(format: Format, text: string | null | undefined): Moment | null {
  if (text === null || text === undefined || text === '') return null
  switch (format) {
    case 'ofx':
      return readOfx(text)
    case 'camt053':
      return readIso(text)
    case 'bai2':
      return readBai(text)
    case 'mt940':
      return { day: readShortDay(text, true), instant: null }
  }
}

function readOfx(text: string): Moment | null {
  if (/^0{8}/.test(text)) return null
  const match = OFX_DATE.exec(text)
  if (match === null) throw new RangeError('not an OFX date')
  const day = toDay(Number(match[1]), Number(match[2]), Number(match[3]))
  if (match[4] === undefined) return { day, instant: null }
  return { day, instant: clock(day, match[4], match[5] ?? '0', match[6] ?? '0', Number(match[8] ?? 0), match[7]) }
}

function readIso(text: string): Moment | null {
  const day = parseDay(text)
  if (day === null) return null
  const instant = text.includes('T') ? parseInstant(text) : null
  return { day, instant }
}

/**
 * `YYMMDD` or `YYYYMMDD`, a space, then `HHMM`, `HHMMSS` or `HH:MM:SS`. The end of the day (2400, 9999) and an absent
 * time yield the day alone.
 */
function readBai(text: string): Moment | null {
  const [date = '', time = ''] = text.split(' ')
  if (date === '') return null
  const day =
    date.length === 8 ? toDay(Number(date.slice(0, 4)), Number(date.slice(4, 6)), Number(date.slice(6))) : readShortDay(date, false)
  const digits = time.replaceAll(':', '')
  if (!/^\d{4}(\d{2})?$/.test(digits) || digits >= '2400') return { day, instant: null }
  return { day, instant: clock(day, digits.slice(0, 2), digits.slice(2, 4), digits.slice(4) || '0', 0) }
}

/**
 * `YYMMDD`. With `lenient`, 29 and 30 February mean its last day: banks count interest in months of 30 days.
 * Source: https://github.com/wolph/mt940 (date_fixup_pre_processor)
 */
function readShortDay(text: string, lenient: boolean): Day {
  if (!/^\d{6}$/.test(text)) throw new RangeError('not a date')
  const short = Number(text.slice(0, 2))
  const year = short >= CENTURY_PIVOT ? 1900 + short : 2000 + short
  const month = Number(text.slice(2, 4))
  const day = Number(text.slice(4))
  const lastOfFebruary = new Date(Date.UTC(year, 2, 0)).getUTCDate()
  return toDay(year, month, lenient && month === 2 && day <= 30 ? Math.min(day, lastOfFebruary) : day)
}

function clock(day: Day, hours: string, minutes: string, seconds: string, zoneHours: number, fraction = '0'): Date {
  if (Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 60) throw new RangeError('no such time of day')
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const ofDay = Number(hours) * HOUR_MS + Number(minutes) * 60_000 + Number(seconds) * 1000 + milliseconds
  return new Date(Date.parse(`${day}T00:00:00Z`) + ofDay - zoneHours * HOUR_MS)
}

/** The day `MMDD` nearest to the day `YYMMDD`, as `YYMMDD`: a booking day may be in another year than its value day. */
export function nearestShortDay(monthDay: string, near: string): string {
  if (near.startsWith(monthDay.slice(0, 2), 2)) return near.slice(0, 2) + monthDay
  const months = Number(monthDay.slice(0, 2)) - Number(near.slice(2, 4))
  const year = Number(near.slice(0, 2)) + (months > 6 ? -1 : months < -6 ? 1 : 0)
  return `${String((year + 100) % 100).padStart(2, '0')}${monthDay}`
}
