import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/usr/lib/postgresql'

/** Folder of the programs of Debian's newest PostgreSQL; the one of Debian 12 where none is installed. */
export const POSTGRES_PROGRAMS = join(ROOT, newestVersion() ?? '15', 'bin')

function newestVersion(): string | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).filter((name) => /^\d+$/.test(name)) : []
  return versions.toSorted((a, b) => Number(a) - Number(b)).at(-1)
}
