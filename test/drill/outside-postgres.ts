import { execFile } from 'node:child_process'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { findFreePort } from '../process/service.ts'

const run = promisify(execFile)

export interface OutsidePostgres {
  port: number
  dataDir: string
  /** Password of the superuser `postgres`. */
  password: string
  close(): Promise<void>
}

/** Starts Debian's PostgreSQL as its own user, accessible over TCP, with passwords unless `auth` says otherwise. */
export async function startOutsidePostgres(folder: string, { auth = 'scram-sha-256' } = {}): Promise<OutsidePostgres> {
  const [{ stdout: uid }, { stdout: gid }] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])
  const user = { uid: Number(uid), gid: Number(gid) }
  const password = 'superuser-of-a-test'
  const port = await findFreePort()
  await mkdir(folder, { mode: 0o755 })
  for (const name of ['main', 'socket']) {
    await mkdir(join(folder, name), { mode: 0o700 })
    await chown(join(folder, name), user.uid, user.gid)
  }
  await writeFile(join(folder, 'password'), password)
  await chown(folder, user.uid, user.gid)
  const asPostgres = async (program: string, args: readonly string[]) =>
    await run(join(POSTGRES_PROGRAMS, program), [...args], { ...user, cwd: '/', env: { PATH: '/usr/bin:/bin' } })
  const cluster = join(folder, 'main')
  await asPostgres('initdb', ['-D', cluster, '-A', auth, `--pwfile=${join(folder, 'password')}`, '--locale=C.UTF-8', '-N'])
  const settings = `port=${port}\nlisten_addresses='127.0.0.1'\nunix_socket_directories='${join(folder, 'socket')}'\nmax_connections=200\n`
  await writeFile(join(cluster, 'postgresql.auto.conf'), settings, { mode: 0o600 })
  await chown(join(cluster, 'postgresql.auto.conf'), user.uid, user.gid)
  await asPostgres('pg_ctl', ['start', '-w', '-t', '60', '-D', cluster, '-l', join(folder, 'log')])
  return {
    port,
    dataDir: cluster,
    password,
    close: async () => {
      await asPostgres('pg_ctl', ['stop', '-w', '-m', 'immediate', '-D', cluster])
    },
  }
}
