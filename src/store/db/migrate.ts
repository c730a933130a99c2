import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Database, type Db, inTransaction } from './database.ts'
import { replaceFunctions } from './functions.ts'

const MIGRATIONS = join(import.meta.dirname, '..', 'migrations')

interface Migration {
  name: string
  sql: string
  /** SHA-256 in hex of the text with `\n` line ends, so that a checkout on Windows is the same file. */
  checksum: string
}

/**
 * Upgrades tables and SQL functions. Returns the names of the migrations that ran; throws as `migrate` and
 * `replaceFunctions` do.
 */
export async function upgradeSchema(database: Database): Promise<string[]> {
  const ran = await migrate(database)
  await replaceFunctions(database)
  return ran
}

/**
 * Schema migration: runs the pending `.sql` files of `folder` in name order, each in a transaction with its record.
 * Returns their names. Safe to call from several processes: each file runs once, the others wait. Throws before running
 * anything when an applied file has changed, the database has a migration unknown to this version, or a new file sorts
 * before an applied one (fresh and upgraded databases would differ).
 */
export async function migrate(database: Database, folder: string = MIGRATIONS): Promise<string[]> {
  const migrations = await readMigrations(folder)
  await createRecord(database)
  const ran: string[] = []
  for (const migration of migrations) {
    if (await inTransaction(database, (db) => runOnce(db, migrations, migration))) ran.push(migration.name)
  }
  return ran
}

/**
 * Names of the migrations that `migrate` would run; changes nothing. Throws as `migrate` does before it runs anything.
 */
export async function listPendingMigrations(db: Db, folder: string = MIGRATIONS): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('schema_migrations') is not null as "isThere"`)
  const applied = rows[0]?.isThere ? await readApplied(db, migrations) : new Map<string, string>()
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
  for (const name of pending) refuseLate(name, [...applied.keys()])
  return pending
}

let known: Promise<string[]> | null = null

/** Names of the migrations of this version, read once. */
export function listKnownMigrations(): Promise<string[]> {
  known ??= listMigrations(MIGRATIONS)
  return known
}

async function listMigrations(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await listMigrations(folder)
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * `if not exists` does not wait for a concurrent creation: the loser gets a duplicate of the name, or of its row type.
 */
async function createRecord(database: Database): Promise<void> {
  try {
    await database.query(`
      create table if not exists schema_migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`)
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
}

/** Source: https://www.postgresql.org/docs/18/errcodes-appendix.html (unique_violation, duplicate_table, duplicate_object). */
function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['23505', '42P07', '42710'].some((code) => code === error.code)
}

/** True when it ran here, false when it had already run. The lock on the table serializes processes. */
async function runOnce(db: Db, migrations: Migration[], migration: Migration): Promise<boolean> {
  await db.query('set local lock_timeout = 0')
  await db.query('set local statement_timeout = 0')
  await db.query('lock table schema_migrations in share row exclusive mode')
  const applied = await readApplied(db, migrations)
  if (applied.has(migration.name)) return false
  refuseLate(migration.name, [...applied.keys()])
  try {
    await db.query(migration.sql)
  } catch (error) {
    throw new Error(`migration ${migration.name} failed: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  await db.query('insert into schema_migrations (name, checksum) values ($1, $2)', [migration.name, migration.checksum])
  return true
}

/** Checksums by name. Throws when the database was migrated by other files than these. */
async function readApplied(db: Db, migrations: Migration[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations')
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  refuseUnknown(migrations, applied)
  refuseChanged(migrations, applied)
  return applied
}

function refuseUnknown(migrations: Migration[], applied: Map<string, string>): void {
  const unknown = [...applied.keys()].filter((name) => !migrations.some((migration) => migration.name === name)).sort()
  if (unknown.length > 0)
    throw new Error(`a later version has migrated this database (${unknown.join(', ')}); start that version, or one after it, on it`)
}

function refuseChanged(migrations: Migration[], applied: Map<string, string>): void {
  const changed = migrations.filter(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum).map(({ name }) => name)
  if (changed.length > 0) {
    throw new Error(
      `migration ${changed.join(', ')} ran on this database and has been changed since; restore it and add a new file instead`,
    )
  }
}

function refuseLate(name: string, applied: string[]): void {
  const later = applied.filter((other) => other > name).sort()[0]
  if (later !== undefined)
    throw new Error(`migration ${name} sorts before ${later}, which ran on this database already; rename it to come last`)
}
