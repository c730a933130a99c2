import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { until } from '../process/deadline.ts'
import { ClusterNode } from './node.ts'

const PASSWORD = 'a-long-password'
const UP_MS = 90_000

/** Three nodes under Patroni and etcd, each in a network namespace of its own. */
export class Cluster {
  readonly nodes: readonly ClusterNode[]
  readonly folder: string
  readonly #prefix: string
  /** Address of this machine in the nodes' network. */
  readonly #own: string
  #proxy: ChildProcess | null = null

  private constructor(folder: string, prefix: string, own: string, nodes: readonly ClusterNode[]) {
    this.folder = folder
    this.#prefix = prefix
    this.#own = own
    this.nodes = nodes
  }

  static async open(): Promise<Cluster> {
    const prefix = `ch${process.pid % 100_000}`
    const subnet = `10.${200 + (process.pid % 50)}.${process.pid % 250}`
    const addresses = [1, 2, 3].map((number) => `${subnet}.${10 + number}`)
    const [uid = 0, gid = 0] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' })))
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-cluster-'))
    await chmod(folder, 0o711)
    makeNetwork(prefix, subnet, addresses)
    const nodes = addresses.map((_, at) => {
      const namespace = `${prefix}n${at + 1}`
      return new ClusterNode({ number: at + 1, addresses, namespace, folder: join(folder, `node${at + 1}`), account: { uid, gid } })
    })
    const cluster = new Cluster(folder, prefix, `${subnet}.1`, nodes)
    try {
      await chown(folder, uid, gid)
      for (const node of nodes) await node.startEtcd()
      nodes[0]?.startPatroni()
      await cluster.leader(UP_MS)
      for (const node of nodes.slice(1)) node.startPatroni()
      await cluster.whenSynchronous()
      await cluster.asSuperuser(`create role countinghouse login password '${PASSWORD}'; `)
      await cluster.asSuperuser('create database countinghouse owner countinghouse')
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  /** Address with all nodes, beginning with the given one. */
  url(first = 1): string {
    const ordered = [...this.nodes.slice(first - 1), ...this.nodes.slice(0, first - 1)].map(({ address }) => `${address}:5432`)
    return `postgres://countinghouse:${PASSWORD}@${ordered.join(',')}/countinghouse?target_session_attrs=read-write`
  }

  /** Address of one node. */
  urlOf({ address }: ClusterNode): string {
    return `postgres://countinghouse:${PASSWORD}@${address}:5432/countinghouse`
  }

  /** Starts HAProxy with the file in `deploy`; returns the address of the leader by way of it. */
  async startProxy(): Promise<string> {
    const [one, two, three] = this.nodes.map(({ address }) => address)
    const file = resolve(import.meta.dirname, '..', '..', 'deploy', 'haproxy', 'database.cfg')
    this.#proxy = spawn('/usr/sbin/haproxy', ['-f', file], {
      env: { LISTEN: this.#own, NODE_1: one, NODE_2: two, NODE_3: three },
      stdio: 'ignore',
    })
    const url = `postgres://countinghouse:${PASSWORD}@${this.#own}:5000/countinghouse`
    await until('HAProxy leads to the leader', () => answers(url), UP_MS)
    return url
  }

  /** The node that Patroni calls the leader, as the other side of a cut may not know; waits for one. */
  async leader(withinMs = UP_MS, except: ClusterNode | null = null): Promise<ClusterNode> {
    return await until(
      'there is a leader',
      async () => {
        const roles = await Promise.all(this.nodes.map((node) => (node === except ? false : hasRole(node, 'primary'))))
        return this.nodes[roles.indexOf(true)] ?? null
      },
      withinMs,
    )
  }

  /**
   * Waits until the cluster is whole, as before the first fault: one node alone accepts writes, both others stream from
   * it, and Patroni on it knows one of them as synchronous. A node whose link has just come back may believe otherwise.
   */
  async whenSynchronous(): Promise<void> {
    await until(
      'one node leads, and both others follow it',
      async () => {
        const states = await Promise.all(this.nodes.map((node) => this.#ask(node)))
        const [leader, ...others] = this.nodes.filter((_, at) => states[at]?.isPrimary)
        if (!leader || others.length > 0 || states.some((state) => state === null)) return null
        const isFollowed = states[this.nodes.indexOf(leader)]?.streaming === 2
        return isFollowed && isWhole(await listMembers(leader.address)) ? true : null
      },
      UP_MS,
    )
  }

  /** What a node itself says that it is, not what Patroni believes of it; null when it does not answer. */
  async #ask({ address }: ClusterNode): Promise<{ isPrimary: boolean; streaming: number } | null> {
    const client = new pg.Client({
      connectionString: `postgres://postgres:${PASSWORD}@${address}:5432/postgres`,
      ...{ connectionTimeoutMillis: 2_000, query_timeout: 2_000 },
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ isPrimary: boolean; streaming: number }>(
        `select not pg_is_in_recovery() as "isPrimary", (select count(*)::int from pg_stat_replication where state = 'streaming') as streaming`,
      )
      return rows[0] ?? null
    } catch {
      return null
    } finally {
      client.connection.stream.destroy()
    }
  }

  /** Cuts a node off from everybody, clients included. */
  setLink(node: ClusterNode, state: 'up' | 'down'): void {
    execFileSync('ip', ['link', 'set', `${this.#prefix}v${this.nodes.indexOf(node) + 1}`, state])
  }

  async asSuperuser(statement: string): Promise<void> {
    const { address } = await this.leader()
    const client = new pg.Client(`postgres://postgres:${PASSWORD}@${address}:5432/postgres`)
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }

  async close(): Promise<void> {
    if (this.#proxy) {
      this.#proxy.kill('SIGKILL')
      await once(this.#proxy, 'exit')
    }
    for (const node of this.nodes) await node.stop()
    removeNetwork(this.#prefix)
    await rm(this.folder, { recursive: true, force: true })
  }
}

interface Member {
  role: string
  state: string
  lag?: number | string
}

async function listMembers(address: string): Promise<Member[]> {
  const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  return answer?.ok ? ((await answer.json()) as { members: Member[] }).members : []
}

function isWhole(members: readonly Member[]): boolean {
  const isUp = members.every(({ state, lag }) => ['running', 'streaming'].includes(state) && (lag === undefined || lag === 0))
  return (
    members.length === 3 && isUp && ['leader', 'sync_standby', 'replica'].every((role) => members.some((member) => member.role === role))
  )
}

async function hasRole({ address }: ClusterNode, role: 'primary'): Promise<boolean> {
  const answer = await fetch(`http://${address}:8008/${role}`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  await answer?.body?.cancel()
  return answer?.status === 200
}

async function answers(url: string): Promise<true | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return null
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A bridge on this machine, and a namespace for each node. */
function makeNetwork(prefix: string, subnet: string, addresses: readonly string[]): void {
  const bridge = `${prefix}b`
  ip('link', 'add', bridge, 'type', 'bridge')
  ip('addr', 'add', `${subnet}.1/24`, 'dev', bridge)
  ip('link', 'set', bridge, 'up')
  addresses.forEach((address, at) => {
    const [namespace, outer, inner] = [`${prefix}n${at + 1}`, `${prefix}v${at + 1}`, `${prefix}i${at + 1}`]
    ip('netns', 'add', namespace)
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner)
    ip('link', 'set', inner, 'netns', namespace)
    ip('link', 'set', outer, 'master', bridge)
    ip('link', 'set', outer, 'up')
    ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', inner)
    ip('-n', namespace, 'link', 'set', inner, 'up')
    ip('-n', namespace, 'link', 'set', 'lo', 'up')
  })
}

function removeNetwork(prefix: string): void {
  for (const number of [1, 2, 3]) ip('netns', 'del', `${prefix}n${number}`)
  ip('link', 'del', `${prefix}b`)
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}
