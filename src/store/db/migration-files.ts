import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRelease } from '../../model/release.ts'

export const MIGRATIONS: string = join(import.meta.dirname, '..', 'migrations')

export interface Migration {
  name: string
  sql: string
  /** SHA-256 in hex of the text with `\n` line ends, so that a checkout on Windows is the same file. */
  checksum: string
  /** Oldest release that can work with the schema after this migration; null if the previous release can. */
  oldestRelease: string | null
  /** False: its statements run one by one outside a transaction (`create index concurrently`), and can be repeated. */
  isTransactional: boolean
}

/**
 * Migrations of a folder in name order. A file may begin with header lines: `-- Oldest release: 1.2.0` for a migration
 * that earlier releases cannot work with, `-- Transaction: none`. Throws for any other header.
 */
export async function readMigrations(folder: string = MIGRATIONS): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex'), ...readHeader(name, sql) }
    }),
  )
}

function readHeader(name: string, sql: string): Pick<Migration, 'oldestRelease' | 'isTransactional'> {
  const header: Pick<Migration, 'oldestRelease' | 'isTransactional'> = { oldestRelease: null, isTransactional: true }
  for (const line of sql.split('\n')) {
    const [, key, value] = /^-- (Oldest release|Transaction): (.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) return header
    if (key === 'Oldest release' && isRelease(value)) header.oldestRelease = value
    else if (key === 'Transaction' && value === 'none') header.isTransactional = false
    else throw new Error(`migration ${name}: "${key}: ${value}" is not understood; use "Oldest release: 1.2.0" or "Transaction: none"`)
  }
  return header
}

/**
 * Statements of a migration that runs outside a transaction, in order. Each ends with `;` at the end of a line, so
 * function bodies do not belong there.
 */
export function splitStatements(sql: string): string[] {
  return sql
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.replace(/^\s*--.*\n/gm, '').trim())
    .filter((statement) => statement !== '')
}
