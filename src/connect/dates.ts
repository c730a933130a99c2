import { type Html, html } from '../model/html.ts'
import type { Locale } from '../model/text.ts'
import { writeDay } from './views/consent-terms.ts'

/** Day and time of day, in UTC and saying so. */
export function writeMoment(at: Date, locale: Locale): string {
  return `${writeDay(at, locale)}, ${writeTime(at, locale)}`
}

export function dayElement(at: Date, locale: Locale): Html {
  return html`<time datetime="${at.toISOString()}">${writeDay(at, locale)}</time>`
}

export function momentElement(at: Date, locale: Locale): Html {
  return html`<time datetime="${at.toISOString()}">${writeMoment(at, locale)}</time>`
}

/** The time of day in UTC; a script of ours puts it into the clock of the browser. */
export function timeElement(at: Date, locale: Locale): Html {
  return html`<time datetime="${at.toISOString()}" data-clock>${writeTime(at, locale)}</time>`
}

function writeTime(at: Date, locale: Locale): string {
  const language = locale === 'en' ? 'en-CA' : locale
  return `${new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`
}
