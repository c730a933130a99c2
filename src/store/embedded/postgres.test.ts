import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChild } from '../../../test/embedded/child.ts'
import { openDatabase } from '../db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres.ts'
import { findStartOf } from './processes.ts'

let folder: string
let dataDir: string
let systemFolder: string
let running: EmbeddedPostgres[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-embedded-'))
  await chmod(folder, 0o711)
  dataDir = join(folder, 'data')
  systemFolder = join(folder, 'system')
  running = []
})

afterEach(async () => {
  for (const postgres of running) await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(options: { dataDir?: string; onUnexpectedExit?: (error: Error) => void } = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, systemFolder, ...options })
  running.push(postgres)
  return postgres
}

async function ask(postgres: EmbeddedPostgres, sql: string): Promise<Record<string, unknown> | undefined> {
  const database = openDatabase(postgres.url, { max: 1 })
  // PostgreSQL may stop before it has closed a connection that was ended here.
  database.on('error', (error) => expect(error).toHaveProperty('code', '57P01'))
  try {
    return (await database.query(sql)).rows[0]
  } finally {
    await database.end()
  }
}

const cluster = () => join(dataDir, 'postgres', 'cluster')

async function findPostmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(cluster(), 'postmaster.pid'), 'utf8'), 10)
}

describe('the database that comes with the service', () => {
  test('is PostgreSQL 18 with durable commits, checksums and UTF-8, open on no port, and its role is bound by row-level security', async () => {
    const facts = await ask(
      await start(),
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('fsync') as fsync,
         current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages,
         current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
         current_setting('listen_addresses') as addresses, rolsuper or rolbypassrls as unbound, upper('é') = 'É' as letters
       from pg_roles where rolname = current_user`,
    )
    expect(facts).toEqual({
      version: 18,
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      checksums: 'on',
      encoding: 'UTF8',
      addresses: '',
      unbound: false,
      letters: true,
    })
  })

  test('keeps what was written over a restart', async () => {
    const first = await start()
    await ask(first, 'create table kept as select 7 as n')
    await first.stop()
    expect(await ask(await start(), 'select n from kept')).toEqual({ n: 7 })
  })

  test('may be stopped twice', async () => {
    const postgres = await start()
    await Promise.all([postgres.stop(), postgres.stop()])
    await expect(postgres.stop()).resolves.toBeUndefined()
  })

  test('starts in a data directory whose path is too long for a socket', async () => {
    const deep = join(folder, 'd'.repeat(100))
    expect(await ask(await start({ dataDir: deep }), 'select 1 as n')).toEqual({ n: 1 })
  })

  test('starts where an earlier first start was cut short', async () => {
    await (await start()).stop()
    await rm(cluster(), { recursive: true })
    await writeFile(join(dataDir, 'postgres', 'cluster.draft-1'), '')
    await start()
    expect((await readdir(join(dataDir, 'postgres'))).filter((name) => name.includes('draft'))).toEqual([])
  })

  test('refuses data of another major version and leaves it as it is', async () => {
    await (await start()).stop()
    await writeFile(join(cluster(), 'PG_VERSION'), '17\n')
    await expect(start()).rejects.toThrow('is of PostgreSQL 17, this release carries 18')
    expect(await readFile(join(cluster(), 'PG_VERSION'), 'utf8')).toBe('17\n')
  })

  test('says what PostgreSQL said when it does not start, and gives the directory free', async () => {
    await (await start()).stop()
    const bad = startEmbeddedPostgres({ dataDir, systemFolder, settings: { shared_buffers: 'many' } })
    await expect(bad).rejects.toThrow(/PostgreSQL did not start: status 1\n.*shared_buffers/)
    expect(await ask(await start(), 'select 1 as n')).toEqual({ n: 1 })
  })

  test('reports when PostgreSQL ends by itself', async () => {
    const ended = Promise.withResolvers<Error>()
    await start({ onUnexpectedExit: ended.resolve })
    process.kill(await findPostmaster(), 'SIGKILL')
    expect((await ended.promise).message).toBe('PostgreSQL ended by itself (SIGKILL)')
  })

  test('does not report that it was stopped', async () => {
    const reports: Error[] = []
    const postgres = await start({ onUnexpectedExit: (error) => reports.push(error) })
    await postgres.stop()
    expect(reports).toEqual([])
  })
})

describe('a second start on the same data directory', () => {
  test('is refused with the number of the process that has it', async () => {
    const child = await startChild({ dataDir, systemFolder })
    await expect(start()).rejects.toThrow(`another Countinghouse (pid ${child.pid}) runs on this data directory`)
    await child.stop()
  })

  test('is refused within one process too', async () => {
    await start()
    await expect(start()).rejects.toThrow(`another Countinghouse (pid ${process.pid}) runs on this data directory`)
  })

  test('does not disturb the first', async () => {
    const first = await start()
    await start().catch((error: unknown) => error)
    expect(await ask(first, 'select 1 as n')).toEqual({ n: 1 })
  })

  test('goes ahead when the first ended in good order', async () => {
    await (await startChild({ dataDir, systemFolder })).stop()
    expect(await ask(await start(), 'select 1 as n')).toEqual({ n: 1 })
  })

  test('goes ahead past a claim of a dead process whose number another process has now', async () => {
    await (await start()).stop()
    await writeFile(join(dataDir, 'postgres', 'claims', `${process.ppid}-1.00000000`), '')
    expect(await ask(await start(), 'select 1 as n')).toEqual({ n: 1 })
  })
})

describe('after kill -9', () => {
  test('of the service, every acknowledged row is there, three times over', async () => {
    const lost: number[] = []
    for (let round = 0; round < 3; round++) {
      const last = await (await startChild({ dataDir, systemFolder })).killAfter(50)
      const postgres = await startEmbeddedPostgres({ dataDir, systemFolder })
      const facts = await ask(postgres, 'select count(*)::int as rows from acknowledged')
      if (Number(facts?.rows) < last) lost.push(last)
      await postgres.stop()
    }
    expect(lost).toEqual([])
  })

  test('of the service, the PostgreSQL left running is ended before a new one starts', async () => {
    const child = await startChild({ dataDir, systemFolder })
    const left = await findPostmaster()
    await child.killAfter(1)
    await start()
    expect([await findStartOf(left), (await findPostmaster()) === left]).toEqual([null, false])
  })

  test('of the service and of PostgreSQL, every acknowledged row is there', async () => {
    const child = await startChild({ dataDir, systemFolder })
    const postmaster = await findPostmaster()
    const last = await child.killAfter(50)
    process.kill(postmaster, 'SIGKILL')
    const facts = await ask(await start(), 'select count(*)::int as rows from acknowledged')
    expect(Number(facts?.rows)).toBeGreaterThanOrEqual(last)
  })
})

test('the files of the database are readable by PostgreSQL only', async () => {
  await start()
  const modes = await Promise.all(
    ['cluster', 'socket'].map(async (name) => ((await stat(join(dataDir, 'postgres', name))).mode & 0o777).toString(8)),
  )
  expect(modes).toEqual(['700', '700'])
})
