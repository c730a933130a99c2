import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { findPause } from '../../src/store/db/deployment-pause.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { runCommand } from '../cli/run-command.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'

const run = promisify(execFile)
const PGBACKREST = '/usr/bin/pgbackrest'

/** Requires Debian's PostgreSQL and pgBackRest; PostgreSQL runs as its own user, so the test must run as root. */
const lacksArchive = !(existsSync(POSTGRES_PROGRAMS) && existsSync(PGBACKREST) && process.getuid?.() === 0) && process.env.CI !== 'true'
const archiveNote = lacksArchive ? ' (SKIPPED: needs root and Debian’s postgresql and pgbackrest)' : ''

/** The configuration from the guide, with the folders of the test. */
describe.skipIf(lacksArchive)(`point-in-time recovery with pgBackRest${archiveNote}`, () => {
  let folder: string
  let cluster: string
  let config: string
  let port: number
  let user: { uid: number; gid: number }
  let database: Database

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-pitr-'))
    const { stdout } = await run('id', ['-u', 'postgres'])
    const { stdout: group } = await run('id', ['-g', 'postgres'])
    user = { uid: Number(stdout), gid: Number(group) }
    cluster = join(folder, 'main')
    config = join(folder, 'pgbackrest.conf')
    port = await findFreePort()
    await chmod(folder, 0o755)
    for (const name of ['main', 'repo', 'log', 'lock', 'spool', 'socket']) {
      await mkdir(join(folder, name), { mode: 0o700 })
      await chown(join(folder, name), user.uid, user.gid)
    }
    await writeFile(config, configOfGuide(), { mode: 0o644 })
    await asPostgres(join(POSTGRES_PROGRAMS, 'initdb'), ['-D', cluster, '-A', 'trust', '--locale=C.UTF-8', '--encoding=UTF8'])
    await writeFile(join(cluster, 'postgresql.auto.conf'), settings(), { mode: 0o600 })
    await chown(join(cluster, 'postgresql.auto.conf'), user.uid, user.gid)
    await startPostgres()
    await asPostgres(join(POSTGRES_PROGRAMS, 'psql'), [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-c',
      'create role countinghouse login',
      '-d',
      'postgres',
    ])
    await asPostgres(join(POSTGRES_PROGRAMS, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-O', 'countinghouse', 'countinghouse'])
    database = openDatabase(url(), { max: 2 })
    await upgradeSchema(database)
  }, 120_000)
  afterAll(async () => {
    if (!database?.ended) await database?.end()
    await stopPostgres().catch(() => undefined)
    if (folder) await rm(folder, { recursive: true, force: true })
  }, 60_000)

  const url = () => `postgres://countinghouse@127.0.0.1:${port}/countinghouse`
  const asPostgres = (program: string, args: readonly string[]) =>
    run(program, [...args], { ...user, cwd: '/', env: { PATH: `${POSTGRES_PROGRAMS}:/usr/bin:/bin` } })
  /** Runs commands of the guide; pgBackRest reads this test’s configuration. */
  const follow = (block: string) => asPostgres('/bin/sh', ['-euc', `pgbackrest() { ${PGBACKREST} --config=${config} "$@"; }\n${block}`])
  const startPostgres = () =>
    asPostgres(join(POSTGRES_PROGRAMS, 'pg_ctl'), ['start', '-w', '-t', '60', '-D', cluster, '-l', join(folder, 'log', 'postgres.log')])
  const stopPostgres = () => asPostgres(join(POSTGRES_PROGRAMS, 'pg_ctl'), ['stop', '-w', '-m', 'fast', '-D', cluster])

  function configOfGuide(): string {
    const extra = `log-path=${folder}/log\nlock-path=${folder}/lock\nspool-path=${folder}/spool\nlog-level-file=off`
    return guideBlock('backup.md', '[global]')
      .replace('repo1-path=/var/lib/pgbackrest', `repo1-path=${folder}/repo\n${extra}`)
      .replace('/var/lib/postgresql/15/main', `${cluster}\npg1-port=${port}\npg1-socket-path=${folder}/socket`)
  }

  let archiving = ''
  function settings(): string {
    return [
      `port = ${port}`,
      `listen_addresses = '127.0.0.1'`,
      `unix_socket_directories = '${folder}/socket'`,
      archiving.replaceAll('pgbackrest --stanza', `pgbackrest --config=${config} --stanza`),
      '',
    ].join('\n')
  }

  it('restores a moment between two writes, and starts paused if the guide is followed', async () => {
    archiving = guideBlock('backup.md', 'wal_level')
    await stopPostgres()
    await writeFile(join(cluster, 'postgresql.auto.conf'), settings(), { mode: 0o600 })
    await startPostgres()
    await follow(guideBlock('backup.md', 'stanza-create'))
    // pgBackRest has a resolution of one second, and uses a backup that ended before the target time.
    const ended = Math.floor(Date.now() / 1_000)
    await until('a later second', async () => {
      const { rows } = await database.query<{ second: number }>('select extract(epoch from clock_timestamp())::int as second')
      return (rows[0]?.second ?? 0) > ended + 1 ? true : null
    })
    await createInstance(database, { id: '00000000-0000-4000-8000-000000000001', name: 'before' })
    const { rows } = await database.query<{ now: string }>('select clock_timestamp()::text as now')
    await createInstance(database, { id: '00000000-0000-4000-8000-000000000002', name: 'after the moment' })
    const { rows: archived } = await database.query<{ count: string }>('select archived_count as count from pg_stat_archiver')
    await asPostgres(join(POSTGRES_PROGRAMS, 'psql'), [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-d',
      'postgres',
      '-c',
      'select pg_switch_wal()',
    ])
    await until('the log is archived', async () => {
      const now = await database.query<{ count: string }>('select archived_count as count from pg_stat_archiver')
      return Number(now.rows[0]?.count) > Number(archived[0]?.count) ? true : null
    })
    await database.end()
    await stopPostgres()
    await follow(guideBlock('backup.md', '--type=time').replace(/--target="[^"]+"/, `--target="${rows[0]?.now}"`))
    await startPostgres()
    database = openDatabase(url(), { max: 2 })
    await until('the recovery', async () => {
      const found = await database.query<{ isOver: boolean }>('select not pg_is_in_recovery() as "isOver"').catch(() => null)
      return found?.rows[0]?.isOver ? true : null
    })
    const { rows: instances } = await database.query<{ name: string }>('select name from instances')
    expect(instances).toEqual([{ name: 'before' }])
    const dataDir = join(folder, 'data')
    const paused = await runCommand(['pause'], { DATABASE_URL: url(), DATA_DIR: dataDir })
    expect([paused.code, (await findPause(database))?.reason]).toEqual([0, 'requested'])
  }, 180_000)
})
