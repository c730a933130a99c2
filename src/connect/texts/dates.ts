import { type Html, html } from '../../model/texts/html.ts'
import { type Calendar, nameZone, writeDay, writeMoment, writeTime } from '../../model/values/dates.ts'
import type { Texts } from './en.ts'

export function dayElement(at: Date, calendar: Calendar): Html {
  return html`<time datetime="${at.toISOString()}">${writeDay(at, calendar)}</time>`
}

export function instantElement(at: Date, calendar: Calendar): Html {
  return html`<time datetime="${at.toISOString()}">${writeMoment(at, calendar)}</time>`
}

/** The time of day. */
export function timeElement(at: Date, calendar: Calendar): Html {
  return html`<time datetime="${at.toISOString()}">${writeTime(at, calendar)}</time>`
}

/** Says in which zone the days and times of a page are. */
export function zoneNote({ texts, ...calendar }: Calendar & { texts: Texts }): Html {
  return html`<p class="small zone">${texts.layout.zone(nameZone(calendar))}</p>`
}
