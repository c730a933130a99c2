import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { chooseAccount } from '../../src/store/embedded/account.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { until } from './deadline.ts'
import { findFreePort, openTestFolder } from './service.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

/** True if PgBouncer is missing and its tests may be skipped; with CI set a missing one fails them. */
export const lacksPooler = !existsSync(PGBOUNCER) && process.env.CI !== 'true'
export const poolerNote = lacksPooler ? ' (SKIPPED: no pgbouncer on this machine)' : ''

export interface Pooler {
  url: string
  close(): Promise<void>
}

export interface PooledPostgres {
  dataDir: string
  /** Starts Debian's PgBouncer in front, with defaults for all other settings. */
  pool(mode: 'session' | 'transaction' | 'statement'): Promise<Pooler>
  close(): Promise<void>
}

/** A PostgreSQL that also accepts PgBouncer, which does not run as root. */
export async function openPooledPostgres(): Promise<PooledPostgres> {
  const folder = await openTestFolder()
  const account = await chooseAccount()
  const users = join(folder.path, 'users.conf')
  const callers = [...new Set([userInfo().username, account.name])]
  const lines = callers.flatMap((caller) => ['postgres', 'countinghouse'].map((role) => `countinghouse "${caller}" ${role}`))
  await writeFile(users, `${lines.join('\n')}\n`)
  await chmod(users, 0o644)
  const postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: folder.path, settings: { fsync: 'off', ident_file: users } })
  const socket = decodeURIComponent(/host=(.+)$/.exec(postgres.url)?.[1] ?? '')
  return {
    dataDir: folder.path,
    pool: async (mode) => {
      const own = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
      const port = await findFreePort()
      const settings = [
        '[databases]',
        `countinghouse = host=${socket} port=5432 dbname=countinghouse user=countinghouse`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        `pool_mode = ${mode}`,
        `logfile = ${join(own, 'log')}`,
      ]
      await writeFile(join(own, 'pgbouncer.ini'), settings.join('\n'))
      const { uid, gid, isSwitched } = account
      if (isSwitched) await chown(own, uid, gid)
      const child = spawn(PGBOUNCER, [join(own, 'pgbouncer.ini')], { ...(isSwitched ? { uid, gid } : {}), stdio: 'ignore' })
      const ended = once(child, 'close')
      await until('PgBouncer listens', () => isListening(port))
      return {
        url: `postgres://countinghouse@127.0.0.1:${port}/countinghouse`,
        close: async () => {
          child.kill('SIGKILL')
          await ended
          await rm(own, { recursive: true })
        },
      }
    },
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
