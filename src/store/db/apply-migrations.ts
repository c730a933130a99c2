import type { Db } from './database.ts'
import { createRecord } from './migrate.ts'
import { type Migration, readMigrations, splitStatements } from './migration-files.ts'

/** Migration as a database records it. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>

/**
 * Runs these migrations on an empty database within the caller's transaction, for rows that were copied under them.
 * Throws before running anything when this release has not all of them.
 */
export async function applyMigrations(db: Db, applied: readonly AppliedMigration[]): Promise<void> {
  const unknown = await listUnknownMigrations(applied)
  if (unknown.length > 0) throw new Error(`this version does not have the migrations ${unknown.join(', ')}`)
  await createRecord(db)
  for (const migration of await readMigrations()) {
    if (!applied.some(({ name }) => name === migration.name)) continue
    for (const statement of statementsOf(migration)) await db.query(statement)
    await db.query('insert into schema_migrations (name, checksum, oldest_release) values ($1, $2, $3)', [
      migration.name,
      migration.checksum,
      migration.oldestRelease,
    ])
  }
}

/** Names of those migrations that this release lacks, or has with another text. */
export async function listUnknownMigrations(applied: readonly AppliedMigration[]): Promise<string[]> {
  const known = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]))
  return applied.filter(({ name, checksum }) => known.get(name) !== checksum).map(({ name }) => name)
}

/** Nobody else uses the tables, so an index need not be built concurrently, which is impossible in a transaction. */
function statementsOf({ sql, isTransactional }: Migration): string[] {
  return isTransactional ? [sql] : splitStatements(sql).map((statement) => statement.replace(/\bconcurrently\b/i, ''))
}
