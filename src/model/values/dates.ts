import type { Locale } from './text.ts'

/** Default time zone. */
export const UTC = 'UTC'

/** Locale and IANA time zone. */
export interface Calendar {
  locale: Locale
  zone: string
}

const ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/** Time zone by name; null when unknown. Source: https://www.iana.org/time-zones */
export function toTimeZone(name: string): string | null {
  if (!ZONE.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Long date, e.g. "November 22, 2027" or « 22 novembre 2027 », without line breaks. */
export function writeDay(at: Date, calendar: Calendar): string {
  const text = formatOf(calendar, { dateStyle: 'long' }).format(at)
  return (calendar.locale === 'en' ? text : text.replace(/^1 /, '1er ')).replaceAll(' ', '\u00a0')
}

/** Time of day and zone, e.g. "7:30 p.m. EST" or « 19 h 30 HNE ». */
export function writeTime(at: Date, calendar: Calendar): string {
  return formatOf(calendar, { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }).format(at)
}

export function writeMoment(at: Date, calendar: Calendar): string {
  return `${writeDay(at, calendar)}, ${writeTime(at, calendar)}`
}

/** Name of the zone, e.g. "Eastern Time" or « heure de l’Est ». */
export function nameZone({ locale, zone }: Calendar): string {
  if (zone === UTC) return UTC
  const parts = formatOf({ locale, zone }, { timeZoneName: 'longGeneric' }).formatToParts(0)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone
}

function formatOf({ locale, zone }: Calendar, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-CA' : locale, { ...options, timeZone: zone })
}
