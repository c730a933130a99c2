import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '../../model/error-code.ts'
import { openDatabase } from '../db/database.ts'
import { syncFolder } from '../keys/durable-file.ts'
import type { Endpoint } from './endpoint.ts'
import { canEnter } from './folder-access.ts'
import type { Home } from './home.ts'
import type { Programs } from './programs.ts'

const run = promisify(execFile)

/** Name of the database and of its owner role. The role is not a superuser, so row-level security applies to it. */
export const DATABASE_NAME = 'countinghouse'

/** PostgreSQL's superuser, for setup and tests; the service never uses it. */
export const ADMIN_ROLE = 'postgres'

export interface ClusterOptions {
  /** Cluster to be copied in place of making one; its folder need not exist. Null: none. */
  template: string | null
  /** Called as soon as the cluster is being made, by another process. */
  onSpawn(): void
}

/**
 * Creates the cluster at the first start, under a temporary name that is renamed when complete and on disk, so that an
 * interrupted start leaves no partial cluster. Rejects a cluster of another major version.
 */
export async function createClusterOnce(home: Home, programs: Programs, endpoint: Endpoint, options: ClusterOptions): Promise<void> {
  const version = await readVersion(home.cluster)
  if (version === programs.major) return
  if (version !== null) {
    throw new Error(
      `the data in ${home.cluster} is of PostgreSQL ${version}, this release carries ${programs.major}; dump it with the old release and load it here`,
    )
  }
  await removeDrafts(home)
  // With a password there is one for each cluster.
  const template = endpoint.password === null ? await findUsable(options.template, home, programs) : null
  const isCopied = template !== null && (await copyCluster(template, home, programs, options.onSpawn))
  const draft = isCopied ? draftOf(home) : await makeCluster(home, programs, endpoint, options.onSpawn)
  await rename(draft, home.cluster)
  await syncFolder(home.folder)
}

/** Encoding UTF-8, builtin collation by code point, the same on every system. */
async function makeCluster(home: Home, programs: Programs, endpoint: Endpoint, onSpawn: () => void): Promise<string> {
  const draft = await openDraft(home)
  const passwordFile = endpoint.password === null ? [] : ['--pwfile', join(home.folder, 'password'), '--auth', 'scram-sha-256']
  const encoding = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', `--locale=${systemLocale()}`]
  const made = run(programs.initdb, ['-D', draft, '-U', ADMIN_ROLE, ...encoding, ...passwordFile], environmentOf(home))
  onSpawn()
  await made
  return draft
}

/** Returns false when the template could not be copied, which makes a start slower and nothing else. */
async function copyCluster(template: string, home: Home, programs: Programs, onSpawn: () => void): Promise<boolean> {
  const draft = await openDraft(home)
  // In one program: this process may be loading code when the copy is complete.
  const copied = run(
    '/bin/sh',
    ['-c', 'cp -R "$1/." "$2" && test -f "$2/global/pg_control" && "$3" -D "$2" --sync-only', 'sh', template, draft, programs.initdb],
    {
      ...environmentOf(home),
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    },
  )
  onSpawn()
  try {
    await copied
    return true
  } catch {
    await removeDrafts(home)
    return false
  }
}

/** The template if it is there, of this version, and its files belong to the account that PostgreSQL runs as. */
async function findUsable(template: string | null, { account }: Home, { major }: Programs): Promise<string | null> {
  if (template === null || (await readVersion(template).catch(() => null)) !== major) return null
  const isOurs = (await stat(template)).uid === account.uid && (await canEnter(dirname(template), account))
  return isOurs ? template : null
}

function draftOf(home: Home): string {
  return `${home.cluster}.draft-${process.pid}`
}

async function openDraft(home: Home): Promise<string> {
  const draft = draftOf(home)
  await mkdir(draft, { mode: 0o700 })
  const { uid, gid, isSwitched } = home.account
  if (isSwitched) await chown(draft, uid, gid)
  return draft
}

function environmentOf({ account: { uid, gid, isSwitched } }: Home) {
  return { ...(isSwitched ? { uid, gid } : {}), cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } }
}

/**
 * Flushes a stopped cluster to disk and moves it to `folder`, for `ClusterOptions.template`. A concurrent call may have
 * made the same.
 */
export async function keepAsTemplate(home: Home, programs: Programs, folder: string): Promise<void> {
  await run(programs.initdb, ['-D', home.cluster, '--sync-only'], environmentOf(home))
  await rename(home.cluster, folder).catch((error: unknown) => {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  })
  await syncFolder(dirname(folder))
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
