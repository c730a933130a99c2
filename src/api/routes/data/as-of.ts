import type { Db } from '../../../store/db/database.ts'
import { findVersionHorizon } from '../../../store/retention/version-horizon.ts'
import { badField } from '../../errors/errors.ts'

/**
 * Refuses an instant for which versions have been deleted by retention. To be called after the read, so that a read
 * beside a deletion is refused too.
 */
export async function checkAsOf(db: Db, asOf: Date | null): Promise<void> {
  if (asOf === null) return
  const horizon = await findVersionHorizon(db)
  if (horizon !== null && asOf < horizon) {
    throw badField('asOf', `is too long ago: data as published before ${horizon.toISOString()} has been deleted`)
  }
}
