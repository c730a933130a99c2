import type { Db } from './database.ts'
import { listKnownMigrations } from './migrate.ts'

/**
 * Fault that keeps this process from using the database, as text for the operator; null: none. Throws when the database
 * does not answer.
 */
export async function findDatabaseFault(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ isReadOnly: boolean; newest: string | null }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
            (select name from schema_migrations order by name desc limit 1) as newest`,
  )
  const [found] = rows
  if (found?.isReadOnly) return READ_ONLY
  const known = await listKnownMigrations()
  if (found?.newest != null && !known.includes(found.newest)) return `a later version has migrated the database (${found.newest})`
  return null
}

export const READ_ONLY = 'the database is read-only'
