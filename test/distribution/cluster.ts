import { execFile } from 'node:child_process'
import { appendFile, chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { urlsOf } from '../../src/store/db/connection/database-url.ts'
import { type Account, chooseAccount } from '../../src/store/embedded/account.ts'
import { until } from '../process/deadline.ts'
import { freePort } from '../process/free-port.ts'

const run = promisify(execFile)

/** Expendable data: nothing waits for the disk. Nothing is told to the makers of Citus. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // NOTE commits stay synchronous: a move of a shard would miss those of the last moments that are in no file yet.
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '200',
  // Moves shards while they are written to.
  wal_level: 'logical',
  'citus.shard_count': '6',
  'citus.enable_statistics_collection': 'off',
  // The nodes of one machine: anybody who is on it may connect.
  'citus.node_conninfo': 'sslmode=disable',
}

/** Each node keeps its WAL beside its folder. */
export const ARCHIVED = { archive_mode: 'on', archive_command: 'mkdir -p "$PWD-wal" && cp %p "$PWD-wal/%f"' } as const

/** Nodes of a Citus cluster on this machine: a coordinator first, then workers; joined by each database for itself. */
export class Cluster {
  /** Address of the database `postgres` as superuser, with every node. */
  readonly url: string
  readonly #programs: string
  readonly #folders: readonly string[]
  readonly #account: Account
  readonly #folder: string

  private constructor(programs: string, folder: string, account: Account, nodes: readonly { folder: string; port: number }[]) {
    this.#programs = programs
    this.#folder = folder
    this.#account = account
    this.#folders = nodes.map((node) => node.folder)
    this.url = `postgres://postgres@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`
  }

  /** `programs` is the folder of a PostgreSQL (initdb, pg_ctl) that Citus has been installed into. */
  static async start(programs: string, count: number, settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
    const account = await chooseAccount()
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-citus-'))
    if (account.isSwitched) await chown(folder, account.uid, account.gid)
    const nodes: { folder: string; port: number }[] = []
    for (let number = 0; number < count; number += 1) nodes.push({ folder: join(folder, `node${number}`), port: await freePort() })
    const cluster = new Cluster(programs, folder, account, nodes)
    try {
      for (const node of nodes) await cluster.#initNode(node.folder, node.port, settings)
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    for (const folder of this.#folders) {
      // One that never started has nothing to stop.
      await this.#run('pg_ctl', ['-D', folder, '-m', 'immediate', 'stop']).catch(() => undefined)
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Kills the postmaster of a node with SIGKILL; its other processes end when they notice. */
  async kill(number: number): Promise<void> {
    const text = await readFile(join(this.#folderOf(number), 'postmaster.pid'), 'utf8')
    process.kill(Number.parseInt(text, 10), 'SIGKILL')
  }

  /** Starts a node that was killed. Others of its processes may not have ended yet, which refuse a second start. */
  async startAgain(number: number): Promise<void> {
    const folder = this.#folderOf(number)
    await until('the node starts', async () => {
      return await this.#run('pg_ctl', ['-D', folder, '-l', `${folder}.log`, '-w', 'start']).then(
        () => true,
        () => null,
      )
    })
  }

  /** Copies a running node, beside its folder. */
  async backUp(number: number): Promise<void> {
    const folder = this.#folderOf(number)
    const server = new URL(urlsOf(this.url)[number] ?? '')
    await this.#run('pg_basebackup', ['-D', `${folder}-copy`, '-d', server.href, '--checkpoint=fast', '--no-sync'])
  }

  /** Stops a node, whose last WAL is archived, and forgets its data. */
  async lose(number: number): Promise<void> {
    const folder = this.#folderOf(number)
    await this.#run('pg_ctl', ['-D', folder, '-m', 'fast', '-w', 'stop'])
    await rm(folder, { recursive: true })
  }

  /** Starts the copy in place of a lost node, and goes on with its archived WAL up to the restore point of this name. */
  async restore(number: number, point: string): Promise<void> {
    const folder = this.#folderOf(number)
    await rename(`${folder}-copy`, folder)
    const lines = [`restore_command = 'cp "$PWD-wal/%f" %p'`, `recovery_target_name = '${point}'`, `recovery_target_action = 'promote'`]
    await appendFile(join(folder, 'postgresql.conf'), `\n${lines.join('\n')}\n`)
    await writeFile(join(folder, 'recovery.signal'), '')
    await this.startAgain(number)
  }

  #folderOf(number: number): string {
    const folder = this.#folders[number]
    if (folder === undefined) throw new Error(`there is no node ${number}`)
    return folder
  }

  async #initNode(folder: string, port: number, settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#run('initdb', ['-D', folder, '-U', 'postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--auth=trust', '--no-sync'])
    const lines = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).map(([name, value]) => `${name} = '${value}'`)
    await appendFile(join(folder, 'postgresql.conf'), `\n${lines.join('\n')}\n`)
    const log = join(this.#folder, `${port}.log`)
    await this.#run('pg_ctl', ['-D', folder, '-l', log, '-w', 'start']).catch(async (error: unknown) => {
      throw new Error(`a node did not start: ${await readFile(log, 'utf8').catch(String)}`, { cause: error })
    })
  }

  /** NOTE the home folder is that of the data: root's is closed to the user of PostgreSQL, who looks for certificates there. */
  async #run(program: string, args: readonly string[]): Promise<void> {
    const { uid, gid, isSwitched } = this.#account
    const env = { PATH: process.env.PATH, HOME: this.#folder, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
    await run(join(this.#programs, program), args, { ...(isSwitched ? { uid, gid } : {}), cwd: '/', env })
  }
}
