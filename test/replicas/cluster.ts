import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'

const run = promisify(execFile)

/** True if Debian's PostgreSQL is missing and the tests may be skipped; with CI set a missing one fails them. */
export const lacksReplication =
  !(existsSync(join(POSTGRES_PROGRAMS, 'pg_basebackup')) && process.getuid?.() === 0) && process.env.CI !== 'true'
export const replicationNote = lacksReplication ? ' (SKIPPED: needs root and Debian’s postgresql)' : ''

const SETTINGS = [
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  'fsync = off',
  'shared_buffers = 32MB',
  'max_connections = 80',
  'wal_retrieve_retry_interval = 200ms',
  'wal_receiver_status_interval = 1s',
  'hot_standby_feedback = on',
]

interface Account {
  uid: number
  gid: number
}

/** One PostgreSQL server. */
export class PostgresServer {
  readonly port: number
  readonly folder: string
  readonly #account: Account
  #process: ChildProcess | null = null

  constructor(folder: string, port: number, account: Account) {
    this.folder = folder
    this.port = port
    this.#account = account
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Address for the service's role. */
  get url(): string {
    return `postgres://countinghouse@${this.address}/countinghouse`
  }

  async start(): Promise<void> {
    // After a SIGKILL the memory of its last processes is free again a moment later.
    await until('PostgreSQL starts', async () => {
      if (this.#process === null || this.#process.exitCode !== null)
        this.#process = spawn(join(POSTGRES_PROGRAMS, 'postgres'), ['-D', this.folder, '-p', String(this.port)], {
          ...this.#account,
          stdio: 'ignore',
        })
      return await this.admin('select 1', 'postgres').catch(() => null)
    })
  }

  /** Process of the whole server. */
  async readPid(): Promise<number> {
    return Number((await readFile(join(this.folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ended = this.#process
    this.#process = null
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return
    ended.kill(signal)
    await once(ended, 'exit')
  }

  /** Copies its files while it is stopped; `restore` puts them back. */
  async backUp(): Promise<void> {
    await this.stop()
    await run('cp', ['-a', this.folder, `${this.folder}.kept`])
    await this.start()
  }

  async restore(): Promise<void> {
    await this.stop()
    await rm(this.folder, { recursive: true })
    await run('mv', [`${this.folder}.kept`, this.folder])
    await this.start()
  }

  /** Runs a statement as superuser. */
  async admin<Row extends pg.QueryResultRow>(text: string, database = 'countinghouse'): Promise<Row[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database, connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async pauseReplay(): Promise<void> {
    await this.admin('select pg_wal_replay_pause()')
    await until('replay pauses', async () => {
      const [row] = await this.admin<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
      return row?.state === 'paused' ? true : null
    })
  }

  async resumeReplay(): Promise<void> {
    await this.admin('select pg_wal_replay_resume()')
  }
}

/** A primary with an empty database `countinghouse`, and what replicates it. */
export class ReplicatedPostgres {
  readonly primary: PostgresServer
  readonly #folder: string
  readonly #account: Account
  readonly #servers: PostgresServer[]

  private constructor(folder: string, account: Account, primary: PostgresServer) {
    this.#folder = folder
    this.#account = account
    this.primary = primary
    this.#servers = [primary]
  }

  static async open(settings: readonly string[] = []): Promise<ReplicatedPostgres> {
    const [uid, gid] = await Promise.all(['-u', '-g'].map(async (option) => Number((await run('id', [option, 'postgres'])).stdout)))
    const account = { uid: uid ?? 0, gid: gid ?? 0 }
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-replicas-'))
    await chmod(folder, 0o755)
    const data = join(folder, 'primary')
    await mkdir(data, { mode: 0o700 })
    await chown(data, account.uid, account.gid)
    const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C.UTF-8', '--encoding=UTF8', '--no-sync']
    await run(join(POSTGRES_PROGRAMS, 'initdb'), initdb, { ...account, cwd: '/' })
    await appendFile(join(data, 'postgresql.conf'), `\n${[...SETTINGS, ...settings].join('\n')}\n`)
    const cluster = new ReplicatedPostgres(folder, account, new PostgresServer(data, await findFreePort(), account))
    await cluster.primary.start()
    await cluster.primary.admin('create role countinghouse login', 'postgres')
    await cluster.primary.admin('create database countinghouse owner countinghouse', 'postgres')
    return cluster
  }

  /** Adds a standby that streams from a server, by default the primary. */
  async addReplica(from: PostgresServer = this.primary, settings: readonly string[] = []): Promise<PostgresServer> {
    const folder = join(this.#folder, `replica-${this.#servers.length}`)
    const backup = [
      '-D',
      folder,
      '-h',
      '127.0.0.1',
      '-p',
      String(from.port),
      '-U',
      'postgres',
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    ]
    await mkdir(folder, { mode: 0o700 })
    await chown(folder, this.#account.uid, this.#account.gid)
    await run(join(POSTGRES_PROGRAMS, 'pg_basebackup'), backup, { ...this.#account, cwd: '/' })
    await appendFile(join(folder, 'postgresql.conf'), `\n${settings.join('\n')}\n`)
    const replica = new PostgresServer(folder, await findFreePort(), this.#account)
    this.#servers.push(replica)
    await replica.start()
    return replica
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.kill()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
