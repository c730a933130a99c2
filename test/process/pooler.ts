import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { chooseAccount } from '../../src/store/embedded/account.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { until } from './deadline.ts'
import { findFreePort, openTestFolder } from './service.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

/** True if PgBouncer is missing and its tests may be skipped; with CI set a missing one fails them. */
export const lacksPooler = !existsSync(PGBOUNCER) && process.env.CI !== 'true'
export const poolerNote = lacksPooler ? ' (SKIPPED: no pgbouncer on this machine)' : ''

export interface Pooler {
  /** Address of the database `countinghouse`; other databases have the same one with their name. */
  url: string
  close(): Promise<void>
}

interface PoolSettings {
  mode: 'session' | 'transaction' | 'statement'
  /** Server connections per database; PgBouncer's own default: 20. */
  serverConnections?: number
  /** PgBouncer's own default: 100. */
  clients?: number
}

/** `file`: databases, mode and sizes as an operator writes them. `serverPort`: of the server behind it; default: 5432. */
export type PoolerOptions = (PoolSettings | { file: string }) & { serverPort?: number }

export interface PooledPostgres {
  dataDir: string
  /** Without a pooler. */
  url: string
  adminUrl: string
  pool(options: PoolerOptions): Promise<Pooler>
  close(): Promise<void>
}

/** Settings of an embedded PostgreSQL that also accepts PgBouncer, which does not run as root. */
export async function poolerAccess(folder: string): Promise<{ ident_file: string }> {
  const account = await chooseAccount()
  const users = join(folder, 'users.conf')
  const callers = [...new Set([userInfo().username, account.name])]
  const lines = callers.flatMap((caller) => ['postgres', 'countinghouse'].map((role) => `countinghouse "${caller}" ${role}`))
  await writeFile(users, `${lines.join('\n')}\n`)
  await chmod(users, 0o644)
  return { ident_file: users }
}

/** Starts Debian's PgBouncer in front of an embedded PostgreSQL, with defaults for all other settings. */
export async function startPooler(postgresUrl: string, options: PoolerOptions): Promise<Pooler> {
  const socket = decodeURIComponent(/host=(.+)$/.exec(postgresUrl)?.[1] ?? '')
  const account = await chooseAccount()
  const own = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const port = await findFreePort()
  const server = `host=${socket} port=${options.serverPort ?? 5432} user=countinghouse`
  const settings = [
    ...('file' in options ? [options.file.replace(/ host=\S+ port=\d+/g, ` ${server}`)] : linesOf(options, server)),
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'stats_users = countinghouse',
    `logfile = ${join(own, 'log')}`,
  ]
  await writeFile(join(own, 'pgbouncer.ini'), settings.join('\n'))
  const { uid, gid, isSwitched } = account
  if (isSwitched) await chown(own, uid, gid)
  const child = spawn(PGBOUNCER, [join(own, 'pgbouncer.ini')], { ...(isSwitched ? { uid, gid } : {}), stdio: 'ignore' })
  const ended = once(child, 'close')
  const isUp = await until('PgBouncer listens', async () => (child.exitCode === null ? await isListening(port) : false), 10_000)
  if (!isUp) throw new Error(`PgBouncer ended: ${await readFile(join(own, 'log'), 'utf8')}`)
  return {
    url: `postgres://countinghouse@127.0.0.1:${port}/countinghouse`,
    close: async () => {
      child.kill('SIGKILL')
      await ended
      await rm(own, { recursive: true })
    },
  }
}

function linesOf({ mode, serverConnections, clients }: PoolSettings, server: string): string[] {
  return [
    ...['[databases]', `* = ${server}`, '[pgbouncer]', `pool_mode = ${mode}`],
    ...(serverConnections === undefined ? [] : [`default_pool_size = ${serverConnections}`]),
    ...(clients === undefined ? [] : [`max_client_conn = ${clients}`]),
  ]
}

/** A PostgreSQL of its own to put poolers in front of. */
export async function openPooledPostgres(settings: Record<string, string> = {}): Promise<PooledPostgres> {
  const folder = await openTestFolder()
  const access = await poolerAccess(folder.path)
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path, settings: { fsync: 'off', ...settings, ...access } })
  return {
    dataDir: folder.path,
    url: postgres.url,
    adminUrl: postgres.adminUrl,
    pool: (options) => startPooler(postgres.url, options),
    close: async () => {
      await postgres.stop()
      await folder.remove()
    },
  }
}

function isListening(port: number): Promise<true | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(null))
  })
}
