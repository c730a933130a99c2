import { Readable } from 'node:stream'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { hasCode } from '../../model/error-code.ts'
import { TWO_PHASE_TABLE } from '../db/cluster/cluster-transaction.ts'
import { DISTRIBUTED_TABLES } from '../db/cluster/distributed-tables.ts'
import { connectionOf, isSocket, urlsOf } from '../db/connection/database-url.ts'
import { LoginClient } from '../db/connection/login.ts'
import { createSession } from '../db/connection/store-client.ts'
import { LOCK_NOT_AVAILABLE } from '../db/partitions/lock-retries.ts'
import { withoutFrame } from './copy-frames.ts'
import { quoted, type SnapshotTable } from './tables.ts'

/** How long new transactions wait behind one attempt to hold them, and the number of attempts. */
const HOLD_MS = 2_000
const HOLDS = 30
const CONNECT_MS = 10_000

/** Part of a distributed table: a table of its own on one node. */
interface Shard {
  table: string
  /** Quoted. */
  name: string
  /** Group of the node; 0 is the coordinator. */
  group: number
  host: string
  port: number
}

/** Sessions on the nodes of a cluster that hold a shard, with which all of them are read at one point in time. */
export class NodeSnapshots {
  readonly #url: string
  readonly #setUp: string
  readonly #shards: readonly Shard[]
  readonly #nodes: ReadonlyMap<number, pg.Client>

  private constructor(url: string, setUp: string, shards: readonly Shard[], nodes: ReadonlyMap<number, pg.Client>) {
    this.#url = url
    this.#setUp = setUp
    this.#shards = shards
    this.#nodes = nodes
  }

  /** Connects as the service, at the addresses by which the coordinator knows the nodes. Throws with the name of one that does not answer. */
  static async connect(url: string, coordinator: pg.Client, setUp: string): Promise<NodeSnapshots> {
    const shards = await listShards(coordinator)
    const nodes = new Map<number, pg.Client>()
    const snapshots = new NodeSnapshots(url, setUp, shards, nodes)
    try {
      for (const shard of shards) {
        if (nodes.has(shard.group)) continue
        const node = shard.group === 0 ? createSession(url, 'countinghouse backup') : createNodeSession(url, shard)
        nodes.set(shard.group, node)
        node.on('error', () => undefined)
        await node.connect().catch((error: unknown) => {
          throw new Error(`the node ${shard.host}:${shard.port} cannot be reached from here, and a backup reads it itself`, {
            cause: error,
          })
        })
        await node.query(setUp)
      }
      return snapshots
    } catch (error) {
      await snapshots.close()
      throw error
    }
  }

  /**
   * Fixes the point in time of every node, and of whatever `take` fixes besides. Transactions on the nodes are held for
   * that moment: each that is over has committed everywhere, and none has begun.
   */
  async takeTogether<T>(take: () => Promise<T>): Promise<T> {
    const barrier = await this.#hold()
    try {
      const [taken] = await Promise.all([take(), ...[...this.#nodes].map(([group, node]) => this.#takeNode(group, node))])
      if (JSON.stringify(await listShards(barrier)) !== JSON.stringify(this.#shards))
        throw new Error('a shard was moved to another node just now; begin the backup again')
      return taken
    } finally {
      await barrier.end()
    }
  }

  /** Rows of a table of all nodes in binary COPY. */
  read({ name, columns }: SnapshotTable): Readable {
    const shards = this.#shards.filter(({ table }) => table === name)
    const streams = shards.map(
      (shard) => () =>
        this.#of(shard.group).query(copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${shard.name}) to stdout (format binary)`)),
    )
    return Readable.from(withoutFrame(streams), { objectMode: false })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map((node) => node.end().catch(() => undefined)))
  }

  /**
   * A session that holds transactions on the nodes until it ends. Each of them updates the table of two-phase commits before
   * its first statement on a node, and keeps that lock until the nodes have committed.
   */
  async #hold(): Promise<pg.Client> {
    const barrier = createSession(this.#url, 'countinghouse backup')
    barrier.on('error', () => undefined)
    await barrier.connect()
    try {
      await barrier.query(`${this.#setUp}, set_config('lock_timeout', '${HOLD_MS}ms', false)`)
      for (let attempt = 1; ; attempt += 1) {
        await barrier.query('begin')
        const isHeld = await barrier.query(`lock table ${TWO_PHASE_TABLE} in share mode`).then(
          () => true,
          (error: unknown) => {
            if (hasCode(error, LOCK_NOT_AVAILABLE)) return false
            throw error
          },
        )
        if (isHeld) return barrier
        await barrier.query('rollback')
        if (attempt === HOLDS) throw new Error('a transaction on the nodes did not end for a minute; begin the backup again')
      }
    } catch (error) {
      await barrier.end()
      throw error
    }
  }

  async #takeNode(group: number, node: pg.Client): Promise<void> {
    await node.query('begin isolation level repeatable read, read only')
    const { rows } = await node.query<{ isOpen: boolean }>(
      `select exists (select from pg_prepared_xacts where database = current_database() and gid like 'citus\\_%') as "isOpen"`,
    )
    const own = this.#shards.filter((shard) => shard.group === group)
    const [first] = own
    if (rows[0]?.isOpen)
      throw new Error(
        `the node ${first?.host}:${first?.port} has part of a commit that is not finished there, as after its loss; begin the backup again in a minute`,
      )
    // Each shard stays until the end, even if it is moved.
    for (const { name } of own) await node.query(`select from ${name} limit 0`)
  }

  #of(group: number): pg.Client {
    const node = this.#nodes.get(group)
    if (!node) throw new Error(`there is no session on the node of group ${group}`)
    return node
  }
}

async function listShards(coordinator: pg.Client): Promise<Shard[]> {
  const { rows } = await coordinator.query<Shard>(
    `select c.relname::text as table, shard_name(s.logicalrelid, s.shardid)::text as name, p.groupid as group, n.nodename as host, n.nodeport as port
     from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid join pg_dist_placement p on p.shardid = s.shardid
       join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where c.relname = any($1) and c.relnamespace = current_schema()::regnamespace order by s.shardid`,
    [DISTRIBUTED_TABLES],
  )
  return rows
}

/** The login of the coordinator at another host and port. */
function createNodeSession(url: string, { host, port }: Shard): pg.Client {
  const options = { application_name: 'countinghouse backup', connectionTimeoutMillis: CONNECT_MS }
  const coordinator = urlsOf(url)[0] ?? ''
  if (isSocket(coordinator)) return new LoginClient({ ...connectionOf(coordinator), ...options, host, port })
  const address = new URL(coordinator)
  address.hostname = host.includes(':') ? `[${host}]` : host
  address.port = String(port)
  return new LoginClient({ ...connectionOf(address.href), ...options })
}
