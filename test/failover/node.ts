import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { hasCode } from '../../src/model/error-code.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'

const DEPLOY = resolve(import.meta.dirname, '..', '..', 'deploy')

export interface NodeParts {
  number: number
  /** Addresses of all nodes, in order. */
  addresses: readonly string[]
  /** Name of its network namespace. */
  namespace: string
  /** Folder of its data and logs. */
  folder: string
  account: { uid: number; gid: number }
}

/** One machine of the cluster: etcd, Patroni and PostgreSQL in a network namespace, configured by the files in `deploy`. */
export class ClusterNode {
  readonly address: string
  readonly #parts: NodeParts
  #etcd: ChildProcess | null = null
  #patroni: ChildProcess | null = null

  constructor(parts: NodeParts) {
    this.#parts = parts
    this.address = parts.addresses[parts.number - 1] ?? ''
  }

  async start(): Promise<void> {
    await this.startEtcd()
    this.startPatroni()
  }

  async startEtcd(): Promise<void> {
    const { folder, account } = this.#parts
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chown(folder, account.uid, account.gid)
    this.#etcd = this.#run('etcd', [], this.#environment('etcd/etcd.env', { ETCD_DATA_DIR: join(folder, 'etcd') }))
  }

  startPatroni(): void {
    const { folder } = this.#parts
    const own = { PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'postgres'), PATRONI_POSTGRESQL_BIN_DIR: POSTGRES_PROGRAMS }
    this.#patroni = this.#run('patroni', [join(DEPLOY, 'patroni', 'patroni.yml')], this.#environment('patroni/patroni.env', own))
  }

  /** The whole machine loses its database: Patroni and PostgreSQL get SIGKILL; etcd goes on. */
  async killDatabase(): Promise<void> {
    const patroni = this.#patroni
    this.#patroni = null
    patroni?.kill('SIGKILL')
    this.#kill('postgres')
    if (patroni && patroni.exitCode === null && patroni.signalCode === null) await once(patroni, 'exit')
  }

  /** PostgreSQL alone gets SIGKILL, all its processes. */
  killPostgres(): void {
    this.#kill('postgres')
  }

  /** Drops everything to and from the other nodes; clients still reach this one. */
  cutFromOthers(): void {
    for (const other of this.#others()) this.#ip('route', 'add', 'blackhole', `${other}/32`)
  }

  healFromOthers(): void {
    for (const other of this.#others()) this.#ip('route', 'del', 'blackhole', `${other}/32`)
  }

  async stop(): Promise<void> {
    await this.killDatabase()
    this.#etcd?.kill('SIGKILL')
    if (this.#etcd && this.#etcd.exitCode === null && this.#etcd.signalCode === null) await once(this.#etcd, 'exit')
    this.#kill('')
  }

  #kill(name: string): void {
    for (const pid of this.#pids(name)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        // It has ended since it was listed.
        if (!hasCode(error, 'ESRCH')) throw error
      }
    }
  }

  #others(): string[] {
    return this.#parts.addresses.filter((address) => address !== this.address)
  }

  #ip(...args: string[]): void {
    execFileSync('ip', ['-n', this.#parts.namespace, ...args])
  }

  #pids(name: string): number[] {
    const pids = execFileSync('ip', ['netns', 'pids', this.#parts.namespace], { encoding: 'utf8' }).trim().split('\n').filter(Boolean)
    return pids.map(Number).filter((pid) => commandOf(pid).includes(name))
  }

  /** The file with the addresses and the number of this node in the place of those of the example. */
  #environment(file: string, own: Record<string, string>): Record<string, string> {
    const { number, addresses } = this.#parts
    const lines = readFileSync(join(DEPLOY, file), 'utf8').split('\n')
    const pairs = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2) as [string, string])
    const isList = (name: string) => name === 'ETCD_INITIAL_CLUSTER' || name === 'PATRONI_ETCD_HOSTS'
    const place = (name: string, value: string) =>
      (isList(name) ? value : value.replaceAll('192.0.2.11', `192.0.2.1${number}`).replaceAll('node1', `node${number}`)).replace(
        /192\.0\.2\.1([123])/g,
        (_all, at: string) => addresses[Number(at) - 1] ?? '',
      )
    return { ...Object.fromEntries(pairs.map(([name, value]) => [name, place(name, value)])), ...own }
  }

  #run(program: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
    const { namespace, account, folder } = this.#parts
    const log = openSync(join(folder, `${program}.log`), 'a')
    const as = ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', program, ...args]
    return spawn('ip', ['netns', 'exec', namespace, ...as], {
      env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...environment },
      stdio: ['ignore', log, log],
      cwd: folder,
    })
  }
}

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') || readFileSync(`/proc/${pid}/comm`, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return ''
    throw error
  }
}
