import { Type } from 'typebox'
import { parseDay, parseInstant } from '../../model/values/timestamps.ts'
import { badField } from '../errors/errors.ts'

/** A query parameter that names a point in time. */
export const InstantParameter = Type.Optional(
  Type.String({
    maxLength: 40,
    description: 'ISO 8601. UTC when it names no offset; a day alone is its midnight in UTC.',
    examples: ['2026-11-20T17:43:00'],
  }),
)

/** Null when the parameter was not given; nonsense, and a day that does not exist, is a 400 that names it. */
export function readInstant(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  try {
    // The calendar is asked first: `Date` makes the second of March of the thirtieth of February.
    // A + in a query is a space unless it was escaped.
    const at = parseDay(text) && parseInstant(text.replace(/ (\d{2}:?\d{2})$/, '+$1'))
    if (at) return at
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw badField(name, 'must be an ISO 8601 date or timestamp of a day that exists')
}
