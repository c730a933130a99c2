import { type Database, type Db, inTransaction } from '../../src/store/db/database.ts'
import { type Migration, splitStatements } from '../../src/store/db/migration-files.ts'

/** Statements that block neither readers nor writers for longer than a moment, and can be repeated. */
const ONLINE =
  /^(create (unique )?index concurrently if not exists|drop index concurrently if exists|alter table \w+ validate constraint|comment on|analyze)\b/i

/**
 * Runs a migration and reports its effects on the `tables` that hold data already, one sentence each. Whether a
 * statement reads or rewrites a table is taken from PostgreSQL's statistics, so it shows with empty tables too.
 */
export async function runAndJudge(database: Database, migration: Migration, tables: ReadonlySet<string>): Promise<string[]> {
  if (!migration.isTransactional) {
    const statements = splitStatements(migration.sql)
    for (const statement of statements) await (database.sessions ?? database).query(statement)
    return statements.filter((statement) => !ONLINE.test(statement)).map((statement) => `outside a transaction it may not: ${statement}`)
  }
  return inTransaction(database, async (db) => {
    const before = await readTables(db)
    await db.query(migration.sql)
    const after = await readTables(db)
    return [...before]
      .filter(([, { name }]) => tables.has(name))
      .flatMap(([oid, { name, file, scans, writes }]) => {
        const now = after.get(oid)
        if (!now) return []
        if (now.file !== file) return [`it rewrites ${name}`]
        if (now.writes > writes) return [`it fills ${name}`]
        return now.scans > scans ? [`it reads all of ${name} while it holds ${now.locks}`] : []
      })
  })
}

interface Table {
  name: string
  file: string
  /** Sequential and index scans of this transaction. */
  scans: number
  writes: number
  /** Lock modes held by this transaction. */
  locks: string
}

/** Tables by oid. */
async function readTables(db: Db): Promise<Map<string, Table>> {
  const { rows } = await db.query<Table & { oid: string }>(
    `select c.oid::text, c.relname as name, pg_relation_filenode(c.oid)::text as file,
            coalesce(s.seq_scan + coalesce(s.idx_scan, 0), 0)::int as scans, coalesce(s.n_tup_ins + s.n_tup_upd + s.n_tup_del, 0)::int as writes,
            coalesce((select string_agg(distinct l.mode, ', ') from pg_locks l where l.relation = c.oid and l.pid = pg_backend_pid()), '') as locks
     from pg_class c left join pg_stat_xact_user_tables s on s.relid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`,
  )
  return new Map(rows.map((row) => [row.oid, row]))
}
