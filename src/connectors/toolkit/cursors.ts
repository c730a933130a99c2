import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { SourceError } from '../contract/contract.ts'

/** Maximum restarts of a listing whose data changed during pagination before the run fails. */
export const MAX_RESTARTS = 2

/** Restarts of a listing with one more; throws `badData` beyond the maximum. */
export function countRestart(restarts: number): number {
  if (restarts >= MAX_RESTARTS) throw new SourceError('badData', `the listing moved while it was read, ${restarts + 1} times`)
  return restarts + 1
}

/** Validating reader of a connector's stored cursor; another shape throws `badData`. */
export function cursorReader<Schema extends TSchema>(schema: Schema): (stored: unknown) => Static<Schema> {
  const isCursor = Compile(schema)
  return (stored) => {
    if (!isCursor.Check(stored)) throw foreignCursor()
    return stored
  }
}

/** For connectors with several cursors: thrown for one that has none of their shapes. */
export function foreignCursor(): SourceError {
  return new SourceError('badData', 'the stored cursor is not one of this connector')
}
