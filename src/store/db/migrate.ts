import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { RELEASE } from '../../model/release.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'
import { createMigrationTable, hasDatabaseCode, migrateNew } from './apply-migrations.ts'
import { distributeNew } from './cluster/distribute.ts'
import { NodeMigration } from './cluster/migrate-nodes.ts'
import { noteTextsOfNewDatabase } from './company-texts/fill-texts.ts'
import { type Database, type Db, inTransaction } from './database.ts'
import { replaceDevelopmentMigrations } from './first-release.ts'
import { replaceFunctions } from './functions.ts'
import { MIGRATIONS, type Migration, readMigrations, splitStatements } from './migration-files.ts'
import { LOCK_NOT_AVAILABLE } from './partitions/lock-retries.ts'
import { fillNewDatabase } from './row-companies/fill-rows.ts'
import { findNewerSchema } from './schema-release.ts'

/**
 * Upgrades tables and SQL functions. Returns the names of the migrations that ran; throws as `migrate` and
 * `replaceFunctions` do.
 */
export async function upgradeSchema(database: Database): Promise<string[]> {
  const sessions = database.sessions ?? database
  const ran = await migrate(sessions)
  await replaceFunctions(sessions)
  if (ran.length > 0) {
    await fillNewDatabase(sessions)
    await noteTextsOfNewDatabase(sessions)
  }
  database.isDistributed = await distributeNew(sessions)
  return ran
}

export interface MigrateOptions {
  /** Default: this program's. */
  release?: string
  /** How long a statement may wait for a lock, with readers queued behind it. */
  lockTimeoutMs?: number
  /** Total time in which a migration is tried again because others hold its locks. */
  giveUpAfterMs?: number
}

const LOCK_TIMEOUT_MS = 100
const GIVE_UP_AFTER_MS = 10 * 60_000

/**
 * Schema migration: runs the pending `.sql` files of `folder` in name order, each in a transaction with its record; all
 * in one where the database has none of them.
 * Returns their names. Safe to call from several processes, while others work on the database: each file runs once, and
 * a lock that is not free within 100 ms is given back and asked for again. Throws before running anything when an
 * applied file has changed, a later release has made a schema that this one cannot work with, or a new file sorts
 * before an applied one (fresh and upgraded databases would differ).
 */
export async function migrate(database: Database, folder: string = MIGRATIONS, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(folder)
  await createMigrationTable(database)
  const { release = RELEASE } = options
  const recorded = await readChecksums(database)
  const applied = await checkApplied(database, recorded, migrations, release)
  if (applied.size === 0 && (await migrateNew(database, migrations))) return migrations.map(({ name }) => name)
  const isRecorded = [...applied.keys()].every((name) => recorded.has(name))
  const ran: string[] = []
  for (const migration of migrations) {
    // Most starts find nothing to do: asking for each file under the lock took longer than all else on the database.
    if (isRecorded && applied.has(migration.name)) continue
    if (await runWhenFree(database, migrations, migration, options)) ran.push(migration.name)
  }
  return ran
}

/**
 * Names of the migrations that `migrate` would run; changes nothing. Throws as `migrate` does before it runs anything.
 */
export async function listPendingMigrations(db: Db, folder: string = MIGRATIONS, release: string = RELEASE): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('schema_migrations') is not null as "isThere"`)
  const applied = rows[0]?.isThere ? await checkApplied(db, await readChecksums(db), migrations, release) : new Map<string, string>()
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
  for (const name of pending) refuseLate(name, [...applied.keys()])
  return pending
}

/**
 * Returns true if it ran here, false if it had already run. A statement that waits for an exclusive lock makes every
 * later reader wait behind it, so it waits briefly, and the whole migration is tried again.
 */
async function runWhenFree(
  database: Database,
  migrations: Migration[],
  migration: Migration,
  { release = RELEASE, lockTimeoutMs = LOCK_TIMEOUT_MS, giveUpAfterMs = GIVE_UP_AFTER_MS }: MigrateOptions,
): Promise<boolean> {
  let startedAt = performance.now()
  for (;;) {
    try {
      return await inTransaction(database, (db) => runOnce(database, db, { migrations, migration, release, lockTimeoutMs }))
    } catch (error) {
      if (!hasDatabaseCode(error, LOCK_NOT_AVAILABLE)) throw error
      // Another process migrates, for as long as it takes.
      if (error instanceof pg.DatabaseError) startedAt = performance.now()
      else if (performance.now() - startedAt > giveUpAfterMs)
        throw new Error(`migration ${migration.name} did not get its locks: a long transaction holds a table; end it and start again`, {
          cause: error,
        })
      await wait(lockTimeoutMs * (1 + 4 * Math.random()))
    }
  }
}

/** One migration that is about to run, among all of its folder. */
interface NextMigration {
  migrations: Migration[]
  migration: Migration
  release: string
  lockTimeoutMs: number
}

/**
 * The lock on the table of migrations serializes processes. It is asked for again and again: a transaction that waits
 * for it holds a snapshot, for which `create index concurrently` of the process that has it would wait.
 */
async function runOnce(database: Database, db: Db, { migrations, migration, release, lockTimeoutMs }: NextMigration): Promise<boolean> {
  await db.query('set local statement_timeout = 0')
  await db.query('set local idle_in_transaction_session_timeout = 0')
  await db.query('lock table schema_migrations in share row exclusive mode nowait')
  const recorded = await readChecksums(db)
  const applied = await checkApplied(db, recorded, migrations, release)
  if ([...applied.keys()].some((name) => !recorded.has(name))) await replaceChecksums(db, applied)
  if (applied.has(migration.name)) return false
  refuseLate(migration.name, [...applied.keys()])
  try {
    if (migration.isTransactional) {
      await db.query(`set local lock_timeout = ${lockTimeoutMs}`)
      const nodes = await NodeMigration.open(db)
      if (nodes === null) await db.query(migration.sql)
      else await nodes.runWithin(db, migration.sql, lockTimeoutMs)
    } else await runWithoutTransaction(database, migration)
  } catch (error) {
    throw new Error(`migration ${migration.name} failed: ${reasonOf(error)}`, { cause: error })
  }
  await db.query('insert into schema_migrations (name, checksum, oldest_release) values ($1, $2, $3)', [
    migration.name,
    migration.checksum,
    migration.oldestRelease,
  ])
  return true
}

/**
 * Runs the statements one by one on a dedicated connection. An interrupted `create index concurrently` leaves an
 * invalid index, which `if not exists` would take for a finished one: it is dropped first.
 * Source: https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
async function runWithoutTransaction(database: Database, migration: Migration): Promise<void> {
  const client = await (database.sessions ?? database).connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('set lock_timeout = 0')
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
       where not i.indisvalid and c.relnamespace = current_schema()::regnamespace`,
    )
    const nodes = await NodeMigration.open(client)
    const run = async (statement: string) => (nodes === null ? await client.query(statement) : await nodes.runAlone(client, statement))
    for (const { name } of rows) await run(`drop index concurrently if exists ${client.escapeIdentifier(name)}`)
    for (const statement of splitStatements(migration.sql)) await run(statement)
  } finally {
    client.release(true)
  }
}

/** Checksums of the applied migrations, by name. */
async function readChecksums(db: Db): Promise<Map<string, string>> {
  const { rows } = await db.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations')
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

/** The migrations that this database has. Throws when this release cannot work with the schema, or a file that ran has changed. */
async function checkApplied(
  db: Db,
  recorded: ReadonlyMap<string, string>,
  migrations: Migration[],
  release: string,
): Promise<Map<string, string>> {
  const newer = await findNewerSchema(db, release)
  if (newer !== null) throw new Error(newer)
  const applied = replaceDevelopmentMigrations(recorded, migrations)
  refuseChanged(migrations, applied)
  return applied
}

async function replaceChecksums(db: Db, applied: ReadonlyMap<string, string>): Promise<void> {
  await db.query('delete from schema_migrations')
  await db.query('insert into schema_migrations (name, checksum) select * from unnest($1::text[], $2::text[])', [
    [...applied.keys()],
    [...applied.values()],
  ])
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
