import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '../db/database.ts'
import { syncFolder } from '../keys/durable-file.ts'
import type { Endpoint } from './endpoint.ts'
import type { Home } from './home.ts'
import { hasCode } from './processes.ts'
import type { Programs } from './programs.ts'

const run = promisify(execFile)

/** Name of the database and of its owner role. The role is not a superuser, so row-level security applies to it. */
export const DATABASE_NAME = 'countinghouse'

/** PostgreSQL's superuser, for setup and tests; the service never uses it. */
export const ADMIN_ROLE = 'postgres'

/**
 * Creates the cluster at the first start, under a temporary name that is renamed when complete, so that an interrupted
 * start leaves no partial cluster. Rejects a cluster of another major version. Encoding UTF-8, builtin collation by
 * code point, the same on every system.
 */
export async function createClusterOnce(home: Home, programs: Programs, endpoint: Endpoint, onSpawn: () => void): Promise<void> {
  const version = await readVersion(home.cluster)
  if (version === programs.major) return
  if (version !== null) {
    throw new Error(
      `the data in ${home.cluster} is of PostgreSQL ${version}, this release carries ${programs.major}; dump it with the old release and load it here`,
    )
  }
  await removeDrafts(home)
  const draft = `${home.cluster}.draft-${process.pid}`
  await mkdir(draft, { mode: 0o700 })
  const { uid, gid, isSwitched } = home.account
  if (isSwitched) await chown(draft, uid, gid)
  const passwordFile = endpoint.password === null ? [] : ['--pwfile', join(home.folder, 'password'), '--auth', 'scram-sha-256']
  const made = run(
    programs.initdb,
    [
      '-D',
      draft,
      '-U',
      ADMIN_ROLE,
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      `--locale=${systemLocale()}`,
      ...passwordFile,
    ],
    { ...(isSwitched ? { uid, gid } : {}), cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } },
  )
  onSpawn()
  await made
  await rename(draft, home.cluster)
  await syncFolder(home.folder)
}

/** Writes the access rules. The files are ours, outside the cluster, and read-only for PostgreSQL. */
export async function writeAccessFiles(home: Home, endpoint: Endpoint): Promise<{ hba_file: string; ident_file: string }> {
  const files = { hba_file: join(home.folder, 'pg_hba.conf'), ident_file: join(home.folder, 'pg_ident.conf') }
  await rewrite(files.hba_file, endpoint.access)
  await rewrite(files.ident_file, endpoint.users)
  return files
}

/** Creates role and database unless they exist; either step may have been interrupted before. */
export async function createDatabaseOnce(endpoint: Endpoint, log: (line: string) => void): Promise<void> {
  const admin = openDatabase(endpoint.urlOf(ADMIN_ROLE, 'postgres'), { max: 1, name: 'countinghouse set-up' })
  // The pool ends before its connections have closed, and a stop right after this breaks them.
  admin.on('error', (error) => log(`set-up: ${error.message}`))
  try {
    const role = await admin.query('select from pg_roles where rolname = $1', [DATABASE_NAME])
    const secret = endpoint.password === null ? '' : ` password '${endpoint.password}'`
    if (role.rowCount === 0) await admin.query(`create role ${DATABASE_NAME} login nosuperuser${secret}`)
    const database = await admin.query('select from pg_database where datname = $1', [DATABASE_NAME])
    if (database.rowCount === 0) await admin.query(`create database ${DATABASE_NAME} owner ${DATABASE_NAME}`)
  } finally {
    await admin.end()
  }
}

/** Only Linux is certain to have C.UTF-8; elsewhere trigram search cannot tell non-ASCII letters from punctuation. */
function systemLocale(): string {
  return process.platform === 'linux' ? 'C.UTF-8' : 'C'
}

async function removeDrafts(home: Home): Promise<void> {
  for (const name of await readdir(home.folder)) {
    if (name.startsWith('cluster.draft-')) await rm(join(home.folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function rewrite(path: string, content: string): Promise<void> {
  await rm(path, { force: true })
  await writeFile(path, content, { mode: 0o644 })
}

async function readVersion(cluster: string): Promise<string | null> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
