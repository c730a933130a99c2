import { Type } from 'typebox'
import { parseDay, parseInstant } from '../../model/values/timestamps.ts'
import { badField } from '../errors/errors.ts'

/** Query parameter for a point in time. */
export const InstantParameter = Type.Optional(
  Type.String({
    maxLength: 40,
    description: 'ISO 8601. UTC when it names no offset; a day alone is its midnight in UTC.',
    examples: ['2026-11-20T17:43:00'],
  }),
)

/** Null when the parameter is absent; a 400 that names it when invalid, also for a day that does not exist. */
export function readInstant(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  try {
    // An unescaped + in a query is a space.
    const at = parseDay(text) && parseInstant(text.replace(/ (\d{2}:?\d{2})$/, '+$1'))
    if (at) return at
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw badField(name, 'must be an ISO 8601 date or timestamp of a day that exists')
}
