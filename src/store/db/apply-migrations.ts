import pg from 'pg'
import { hasCode } from '../../model/error-code.ts'
import { type Database, type Db, inTransaction } from './database.ts'
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
  await createMigrationTable(db)
  const migrations = await readMigrations()
  await runAll(
    db,
    migrations.filter(({ name }) => applied.some((one) => one.name === name)),
  )
}

/**
 * Runs all migrations of a database that has none, in one transaction. Returns false, with nothing done, when another
 * process migrates or a file fails: run one by one, they wait for that process, or say which file it is.
 */
export async function migrateNew(database: Database, migrations: readonly Migration[]): Promise<boolean> {
  try {
    return await inTransaction(database, async (db) => {
      await db.query('set local statement_timeout = 0')
      await db.query('set local idle_in_transaction_session_timeout = 0')
      await db.query('lock table schema_migrations in share row exclusive mode nowait')
      const { rowCount } = await db.query('select from schema_migrations limit 1')
      if (rowCount !== 0) return false
      await runAll(db, migrations)
      return true
    })
  } catch (error) {
    if (error instanceof pg.DatabaseError) return false
    throw error
  }
}

async function runAll(db: Db, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    for (const statement of statementsInTransaction(migration)) await db.query(statement)
  }
  await db.query(
    'insert into schema_migrations (name, checksum, oldest_release) select * from unnest($1::text[], $2::text[], $3::text[])',
    [migrations.map(({ name }) => name), migrations.map(({ checksum }) => checksum), migrations.map(({ oldestRelease }) => oldestRelease)],
  )
}

/** Names of those migrations that this release lacks, or has with another text. */
export async function listUnknownMigrations(applied: readonly AppliedMigration[]): Promise<string[]> {
  const known = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]))
  return applied.filter(({ name, checksum }) => known.get(name) !== checksum).map(({ name }) => name)
}

/** Nobody else uses the tables, so an index need not be built concurrently, which is impossible in a transaction. */
function statementsInTransaction({ sql, isTransactional }: Migration): string[] {
  return isTransactional ? [sql] : splitStatements(sql).map((statement) => statement.replace(/\bconcurrently\b/i, ''))
}

/**
 * Creates the table of applied migrations. `if not exists` does not wait for a concurrent creation: the loser gets a
 * duplicate of the name, or of its row type. A column is added only where it is missing, because adding takes an
 * exclusive lock in any case.
 */
export async function createMigrationTable(db: Db): Promise<void> {
  try {
    await db.query(`
      create table if not exists schema_migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now(),
        oldest_release text
      )`)
    const { rowCount } = await db.query(
      `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'oldest_release'`,
    )
    if (rowCount === 0) await db.query('alter table schema_migrations add column oldest_release text')
  } catch (error) {
    if (!hasDatabaseCode(error, ...DUPLICATE)) throw error
  }
}

/** Source: https://www.postgresql.org/docs/18/errcodes-appendix.html (unique_violation, duplicate_column, _table, _object). */
const DUPLICATE = ['23505', '42701', '42P07', '42710']

/** Whether PostgreSQL gave one of these codes, for the error or for what caused it. */
export function hasDatabaseCode(error: unknown, ...codes: readonly string[]): boolean {
  return hasCode(error instanceof Error && error.cause ? error.cause : error, ...codes)
}
