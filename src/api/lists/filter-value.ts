import type { ColumnType } from '../../store/db/list-selection.ts'

/**
 * The value in the store's notation (dates with microseconds and `Z`, days unchanged, words in lower case), or null
 * when it is not of the type.
 */
export function toFilterValue(text: string, type: ColumnType): string | null {
  if (type === 'number') return /^[+-]?\d{1,30}(\.\d{1,30})?$/.test(text) ? text : null
  if (type === 'boolean') return /^(true|false)$/i.test(text) ? text.toLowerCase() : null
  if (type === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null
  if (type === 'date') return toInstantText(text)
  if (type === 'day') return toDayText(text)
  return text
}

/** A day, or its midnight where days and instants have one notation. */
function toDayText(text: string): string | null {
  const [day, time] = toInstantText(text)?.split('T') ?? []
  return day !== undefined && time === '00:00:00.000000Z' ? day : null
}

/**
 * `YYYY-MM-DD` is midnight, `YYYY-MM-DDTHH:MM:SS` may have up to six fraction digits and a `Z`; always UTC. A bare year
 * is invalid.
 */
function toInstantText(text: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z?)?$/.exec(text)
  if (!match) return null
  const [, day = '', time = '00:00:00', fraction = ''] = match
  const instant = new Date(`${day}T${time}Z`)
  if (Number.isNaN(instant.getTime()) || instant.toISOString().slice(0, 19) !== `${day}T${time}`) return null
  if (day.startsWith('0000')) return null
  return `${day}T${time}.${fraction.padEnd(6, '0')}Z`
}
