import { expect, it } from 'vitest'
import { nameZone, toTimeZone, writeDay, writeMoment } from './dates.ts'

const EVENING = new Date('2026-11-23T00:30:00Z')
const MONTREAL = 'America/Toronto'

it('an evening in Montréal is written as the day that it is there, and with its zone', () => {
  expect(writeDay(EVENING, { locale: 'en', zone: MONTREAL })).toBe('November\u00a022,\u00a02026')
  expect(writeDay(EVENING, { locale: 'fr-CA', zone: MONTREAL })).toBe('22\u00a0novembre\u00a02026')
  expect(writeMoment(EVENING, { locale: 'en', zone: MONTREAL })).toMatch(/^November\u00a022,\u00a02026, 7:30\sp\.m\. EST$/)
  expect(writeMoment(EVENING, { locale: 'fr-CA', zone: MONTREAL })).toMatch(/^22\u00a0novembre\u00a02026, 19\sh\s30\sHNE$/)
})

it('the first of a month is written as it is in French', () => {
  expect(writeDay(new Date('2026-12-01T12:00:00Z'), { locale: 'fr-CA', zone: 'UTC' })).toBe('1er\u00a0décembre\u00a02026')
})

it.each([
  [MONTREAL, 'Eastern Time', 'heure de l’Est'],
  ['UTC', 'UTC', 'UTC'],
])('%s has a name in both languages', (zone, english, french) => {
  expect([nameZone({ locale: 'en', zone }), nameZone({ locale: 'fr-CA', zone })]).toEqual([english, french])
})

it('a zone is known by its name', () => {
  expect(toTimeZone(MONTREAL)).toBe(MONTREAL)
})

it('no other day ends like the first of a month', () => {
  expect(writeDay(new Date('2026-12-21T12:00:00Z'), { locale: 'fr-CA', zone: 'UTC' })).toBe('21\u00a0décembre\u00a02026')
})

// An offset has no summer: Intl would take it.
it.each(['', '+05:00', 'Mars/Olympus', '../etc', 'America/Toronto; path=/', 'x'.repeat(80)])('%j is no zone', (name) => {
  expect(toTimeZone(name)).toBeNull()
})
