import { isUuid } from '../../model/values/uuid.ts'
import type { ColumnType } from '../../store/db/list-selection.ts'

/**
 * The value in the store's notation (dates with microseconds and `Z`, days unchanged, words in lower case), or null
 * when it is not of the type.
 */
export function toFilterValue(text: string, type: ColumnType): string | null {
  if (type === 'number') return /^[+-]?\d{1,30}(\.\d{1,30})?$/.test(text) ? text : null
  if (type === 'boolean') return /^(true|false)$/i.test(text) ? text.toLowerCase() : null
  if (type === 'uuid') return isUuid(text.toLowerCase()) ? text.toLowerCase() : null
  if (type === 'date') return toInstantText(text)
  if (type === 'day') return toDayText(text)
  return text
}

/** A day, or its midnight where days and instants have one notation; no midnight of another zone, as a day has none. */
function toDayText(text: string): string | null {
  const [day, time] = toInstantText(text)?.split('T') ?? []
  return day !== undefined && text.startsWith(day) && time === '00:00:00.000000Z' ? day : null
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+ -]\d{2}:?\d{2})?)?$/
const MINUTE_MS = 60_000

/**
 * `YYYY-MM-DD` is midnight in UTC, `YYYY-MM-DDTHH:MM:SS` may have up to six fraction digits and an offset; without one it
 * is UTC. A bare year is invalid.
 */
function toInstantText(text: string): string | null {
  const match = INSTANT.exec(text)
  if (!match) return null
  const [, day = '', time = '00:00:00', fraction = '', zone = 'Z'] = match
  const local = new Date(`${day}T${time}Z`)
  const minutes = toMinutes(zone)
  if (minutes === null || Number.isNaN(local.getTime()) || local.toISOString().slice(0, 19) !== `${day}T${time}`) return null
  const instant = new Date(local.getTime() - minutes * MINUTE_MS)
  // Years before 1 and after 9999 are printed otherwise.
  if (instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999) return null
  return `${instant.toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`
}

/** Minutes by which an offset is ahead of UTC; null for one that no clock has. NOTE an unescaped + in a query is a space. */
function toMinutes(zone: string): number | null {
  if (zone === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
