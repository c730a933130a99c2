import { type Html, html } from '../../model/texts/html.ts'
import { type Calendar, nameZone, writeDay, writeMoment, writeTime } from '../../model/values/dates.ts'
import type { Texts } from './en.ts'

export function dayElement(at: Date, calendar: Calendar): Html {
  return html`<time datetime="${at.toISOString()}">${writeDay(at, calendar)}</time>`
}

export function instantElement(at: Date, calendar: Calendar): Html {
  return html`<time datetime="${at.toISOString()}">${writeMoment(at, calendar)}</time>`
}

/** Time of day. */
export function timeElement(at: Date, calendar: Calendar): Html {
  return html`<time datetime="${at.toISOString()}">${writeTime(at, calendar)}</time>`
}

/** Note that names the time zone of a page's dates and times. */
export function zoneNote({ texts, ...calendar }: Calendar & { texts: Texts }): Html {
  return html`<p class="small zone">${texts.layout.zone(nameZone(calendar))}</p>`
}
