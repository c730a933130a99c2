import { RELEASE } from '../../model/release.ts'
import { NoPrimary, READ_ONLY } from './connection/servers.ts'
import type { Db } from './database.ts'
import { findNewerSchema } from './schema-release.ts'

/**
 * Fault that keeps this process from using the database, as text for the operator; null: none. Throws when the database
 * does not answer.
 */
export async function findDatabaseFault(db: Db): Promise<string | null> {
  try {
    const { rows } = await db.query<{ isReadOnly: boolean }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    )
    return rows[0]?.isReadOnly ? READ_ONLY : await findNewerSchema(db, RELEASE)
  } catch (error) {
    if (error instanceof NoPrimary) return error.message
    throw error
  }
}
