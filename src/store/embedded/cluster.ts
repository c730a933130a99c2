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

/** Name of the database and of the role that owns it. The role is no superuser, so row-level security binds it. */
export const DATABASE_NAME = 'countinghouse'

/** PostgreSQL's superuser, for the set-up below and for tests; the service never works as this role. */
export const ADMIN_ROLE = 'postgres'

/**
 * Makes the cluster at the first start: built under another name and renamed when whole, so that a start cut short leaves no half.
 * Refuses a cluster of another major version. Text is UTF-8, sorted by code point by PostgreSQL itself, the same on every system.
 */
export async function createClusterOnce(home: Home, programs: Programs, endpoint: Endpoint): Promise<void> {
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
  await run(
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
  await rename(draft, home.cluster)
  await syncFolder(home.folder)
}

/** Writes who may come in. The files are ours, outside the cluster, and PostgreSQL only reads them. */
export async function writeAccessFiles(home: Home, endpoint: Endpoint): Promise<{ hba_file: string; ident_file: string }> {
  const files = { hba_file: join(home.folder, 'pg_hba.conf'), ident_file: join(home.folder, 'pg_ident.conf') }
  await rewrite(files.hba_file, endpoint.access)
  await rewrite(files.ident_file, endpoint.users)
  return files
}

/** Makes role and database where they are missing; either step may have been cut short before. */
export async function createDatabaseOnce(endpoint: Endpoint, log: (line: string) => void): Promise<void> {
  const admin = openDatabase(endpoint.urlOf(ADMIN_ROLE, 'postgres'), { max: 1, name: 'countinghouse set-up' })
  // a pool ends before its connections have closed, and a stop right after this breaks them
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

/** Only Linux is sure to have C.UTF-8; elsewhere letters beyond ASCII are not told apart from signs by trigram search. */
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
