import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '../../model/texts/reason-of.ts'
import { type Database, type Db, inTransaction } from './database.ts'

/** Folder of this version's functions. */
export const FUNCTIONS = join(import.meta.dirname, '..', 'functions')

interface FunctionFile {
  name: string
  sql: string
  version: number
  /** SHA-256 in hex of the text with `\n` line ends. */
  checksum: string
}

/**
 * Installs the SQL functions of this version that are newer than the database's: each file of `folder` holds one
 * function and begins with `-- Version: N`. Returns the replaced names. A newer function in the database stays, so that
 * an older version starting beside a newer one changes nothing. Throws before any replacement when a file has no
 * version, or its text changed without a new version.
 */
export async function replaceFunctions(database: Database, folder: string = FUNCTIONS): Promise<string[]> {
  const files = await readFunctions(folder)
  return inTransaction(database, async (db) => {
    await db.query('set local lock_timeout = 0')
    await db.query('lock table schema_functions in share row exclusive mode')
    const newer = await listNewer(db, files)
    for (const { name, sql, version, checksum } of newer) {
      try {
        await db.query(sql)
      } catch (error) {
        throw new Error(`function ${name} failed: ${reasonOf(error)}`, { cause: error })
      }
      await db.query(
        `insert into schema_functions (name, version, checksum) values ($1, $2, $3)
         on conflict (name) do update set version = $2, checksum = $3, applied_at = now()`,
        [name, version, checksum],
      )
    }
    return newer.map(({ name }) => name)
  })
}

/** Names of the functions that `replaceFunctions` would replace; changes nothing. */
export async function listPendingFunctions(db: Db, folder: string = FUNCTIONS): Promise<string[]> {
  const files = await readFunctions(folder)
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('schema_functions') is not null as "isThere"`)
  return (rows[0]?.isThere ? await listNewer(db, files) : files).map(({ name }) => name)
}

/** Throws when a text changed without a new version. */
async function listNewer(db: Db, files: FunctionFile[]): Promise<FunctionFile[]> {
  const { rows } = await db.query<{ name: string; version: number; checksum: string }>(
    'select name, version, checksum from schema_functions',
  )
  const applied = new Map(rows.map((row) => [row.name, row]))
  const changed = files.filter(({ name, version, checksum }) => {
    const last = applied.get(name)
    return last?.version === version && last.checksum !== checksum
  })
  if (changed.length > 0)
    throw new Error(`function ${changed.map(({ name }) => name).join(', ')} was changed; raise the version in its first line`)
  return files.filter(({ name, version }) => version > (applied.get(name)?.version ?? 0))
}

async function readFunctions(folder: string): Promise<FunctionFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      const version = /^-- Version: ([1-9]\d*)\n/.exec(sql)?.[1]
      if (version === undefined) throw new Error(`function ${name} has no version; its first line must be \`-- Version: 1\``)
      return { name, sql, version: Number(version), checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}
