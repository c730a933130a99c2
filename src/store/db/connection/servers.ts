import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { reasonOf } from '../../../model/texts/reason-of.ts'
import { connectionOf, serverName, urlsOf } from './database-url.ts'
import { LoginClient } from './login.ts'

/** Timeouts: for one server that is asked for its role, and for the others once one accepts writes. */
const PROBE_MS = 3_000
const OTHERS_MS = 1_000

export const READ_ONLY = 'the database is read-only'

/**
 * Thrown when no server accepts writes: a connection to a standby is refused, because it may answer with stale data.
 * Has the PostgreSQL error code of a server that cannot be connected to now, which callers treat as an outage.
 */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary'
  readonly code = '57P03'
}

/** Address of a server, as a connection uses it. */
export interface ServerAddress {
  host: string
  port: number
}

/**
 * Whether a server accepts writes, and which one it is. NOTE the timeline that a server currently writes; that of its
 * last checkpoint remains the previous one for some time.
 */
const IDENTITY = `select not (r.is_standby or current_setting('transaction_read_only') = 'on') as "isPrimary", c.cluster,
    c.cluster || ' ' || pg_postmaster_start_time() as server, case when r.is_standby then 0
      else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end as timeline
  from (select pg_is_in_recovery() as is_standby) r, (select system_identifier::text as cluster from pg_control_system()) c`

/** Answer of a server that accepts writes. */
export interface Primary {
  /** Cluster identifier and start time of the server: equal for two addresses of one server. */
  server: string
  cluster: string
  /** Number of promotions of a cluster. */
  timeline: number
}

/**
 * Servers of one address, with the one that accepted writes when last asked. If several accept writes, the one with the
 * highest timeline: a leader that does not know yet of another's promotion still has the previous timeline.
 * Source: https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES
 */
export class Servers {
  readonly urls: readonly string[]
  readonly #probe: (url: string) => Promise<Primary | null>
  /** Connections to the primary, which are closed when another server becomes the primary. */
  readonly #connections = new Set<pg.Client>()
  #primary: number | null
  #newest: Primary | null = null
  #search: Promise<number> | null = null

  constructor(url: string, probe = askServer) {
    this.urls = urlsOf(url)
    this.#probe = probe
    this.#primary = this.hasSeveral ? null : 0
  }

  get hasSeveral(): boolean {
    return this.urls.length > 1
  }

  /** First server; the others differ from it only in host and port. */
  get first(): pg.PoolConfig {
    return connectionOf(this.urls[0] ?? '')
  }

  /** Server that accepts writes; searches for it if unknown. Throws `NoPrimary`. */
  async findPrimary(): Promise<ServerAddress> {
    this.#search ??= this.#primary === null ? this.#searchPrimary() : null
    const at = this.#primary ?? (await this.#search) ?? 0
    return addressOf(this.urls[at] ?? '')
  }

  /** Reports that the server could not be reached or does not accept writes: the next connection searches again. */
  forget(): void {
    if (this.hasSeveral) this.#primary = null
  }

  /** Registers a connection to the primary until it ends. */
  add(client: pg.Client): void {
    this.#connections.add(client)
    client.once('end', () => this.#connections.delete(client))
  }

  async #searchPrimary(): Promise<number> {
    try {
      const { found, reasons } = await this.#askAll()
      const timeline = Math.max(...found.map(({ primary }) => primary.timeline))
      const best = found.filter(({ primary }) => primary.timeline === timeline)
      const [first] = best
      if (!first) throw new NoPrimary(`no server of the database accepts writes (${reasons.toSorted().join('; ')})`)
      // Two histories on one timeline: neither may be used.
      if (best.some(({ primary }) => primary.server !== first.primary.server))
        throw new NoPrimary(`several servers of the database accept writes (${best.map(({ url }) => serverName(url)).join(', ')})`)
      this.#newest = first.primary
      this.#primary = first.at
      this.#closeOthers(addressOf(first.url))
      return first.at
    } finally {
      this.#search = null
    }
  }

  /** Asks all servers at once; waits only briefly for the others once one accepts writes. */
  async #askAll(): Promise<{ found: { url: string; at: number; primary: Primary }[]; reasons: string[] }> {
    const found: { url: string; at: number; primary: Primary }[] = []
    const reasons: string[] = []
    const { promise: isFound, resolve: tellFound } = Promise.withResolvers<void>()
    const asked = this.urls.map(async (url, at) => {
      const primary = await this.#probe(url).catch((error: unknown) => {
        reasons.push(`${serverName(url)}: ${reasonOf(error)}`)
      })
      if (primary === undefined) return
      if (primary === null) reasons.push(`${serverName(url)}: is read-only`)
      else if (this.#isFormer(primary)) reasons.push(`${serverName(url)}: is a former leader`)
      else {
        found.push({ url, at, primary })
        tellFound()
      }
    })
    const giveUp = new AbortController()
    const late = isFound.then(() => wait(OTHERS_MS, undefined, { signal: giveUp.signal })).catch(() => undefined)
    await Promise.race([Promise.all(asked), late])
    giveUp.abort()
    return { found: [...found], reasons }
  }

  /** Whether a server of the same cluster with a higher timeline was the primary before. */
  #isFormer({ cluster, timeline }: Primary): boolean {
    return this.#newest?.cluster === cluster && timeline < this.#newest.timeline
  }

  #closeOthers({ host, port }: ServerAddress): void {
    for (const client of this.#connections)
      if (client.host !== host || client.port !== port) client.connection.stream.destroy(new NoPrimary('another server leads now'))
  }
}

function addressOf(url: string): ServerAddress {
  const { host, port } = new pg.Client(connectionOf(url))
  return { host, port }
}

/** Server that accepts writes; null for one that does not. Throws if it does not answer. */
async function askServer(url: string): Promise<Primary | null> {
  const client = new LoginClient({
    ...connectionOf(url),
    application_name: 'countinghouse search',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Primary & { isPrimary: boolean }>(IDENTITY)
    const [row] = rows
    if (!row?.isPrimary) return null
    return { server: row.server, cluster: row.cluster, timeline: row.timeline }
  } finally {
    // Destroyed instead of ended: ending would wait for an answer of a disconnected server.
    client.connection.stream.destroy()
  }
}
