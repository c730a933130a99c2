import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { connectionOf, nameOf, urlsOf } from './database-url.ts'

/** Patience with one server that is asked what it is, and with the others once one says that it accepts writes. */
const PROBE_MS = 3_000
const OTHERS_MS = 1_000

export const READ_ONLY = 'the database is read-only'

/**
 * Thrown when no server accepts writes now: a connection to a standby is refused, because what it answers may be old.
 * Has the code of PostgreSQL for a server that cannot be connected to now, which callers take for an outage.
 */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary'
  readonly code = '57P03'
}

/** Address of a server as a connection uses it. */
export interface ServerAddress {
  host: string
  port: number
}

/** NOTE the timeline that a server writes to: that of its last checkpoint is the one before for some time. */
const WHO = `select not (r.is_standby or current_setting('transaction_read_only') = 'on') as "isPrimary", c.cluster,
    c.cluster || ' ' || pg_postmaster_start_time() as server, case when r.is_standby then 0
      else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end as timeline
  from (select pg_is_in_recovery() as is_standby) r, (select system_identifier::text as cluster from pg_control_system()) c`

/** What a server that accepts writes says of itself. */
export interface Primary {
  /** Identifier of the cluster and start of the server: the same by two addresses where they name one server. */
  server: string
  cluster: string
  /** Counts the promotions of a cluster. */
  timeline: number
}

/**
 * The servers of one address, and which of them accepted writes when it was last asked. Of several that say so, the one
 * with the highest timeline: a leader that does not know yet that another was promoted still has the timeline before.
 * Source: https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES
 */
export class Servers {
  readonly urls: readonly string[]
  readonly #probe: (url: string) => Promise<Primary | null>
  /** Connections to the primary, which are closed when another server is found to be it. */
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

  /** The first server, of which every other differs in host and port only. */
  get first(): pg.PoolConfig {
    return connectionOf(this.urls[0] ?? '')
  }

  /** The server that accepts writes; searches for it where it is not known. Throws `NoPrimary`. */
  async findPrimary(): Promise<ServerAddress> {
    this.#search ??= this.#primary === null ? this.#searchPrimary() : null
    const at = this.#primary ?? (await this.#search) ?? 0
    return addressOf(this.urls[at] ?? '')
  }

  /** The server could not be reached, or is none that accepts writes: the next connection searches anew. */
  forget(): void {
    if (this.hasSeveral) this.#primary = null
  }

  /** A connection to the primary, until it ends. */
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
      // Two histories of one timeline: none of them may be taken for the true one.
      if (best.some(({ primary }) => primary.server !== first.primary.server))
        throw new NoPrimary(`several servers of the database accept writes (${best.map(({ url }) => nameOf(url)).join(', ')})`)
      this.#newest = first.primary
      this.#primary = first.at
      this.#closeOthers(addressOf(first.url))
      return first.at
    } finally {
      this.#search = null
    }
  }

  /** Asks all servers at once; does not wait long for the others once one accepts writes. */
  async #askAll(): Promise<{ found: { url: string; at: number; primary: Primary }[]; reasons: string[] }> {
    const found: { url: string; at: number; primary: Primary }[] = []
    const reasons: string[] = []
    const { promise: isFound, resolve: tellFound } = Promise.withResolvers<void>()
    const asked = this.urls.map(async (url, at) => {
      const primary = await this.#probe(url).catch((error: unknown) => {
        reasons.push(`${nameOf(url)}: ${error instanceof Error ? error.message || error.name : String(error)}`)
      })
      if (primary === undefined) return
      if (primary === null) reasons.push(`${nameOf(url)}: is read-only`)
      else if (this.#isFormer(primary)) reasons.push(`${nameOf(url)}: is a former leader`)
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

/** A server that accepts writes; null for one that does not. Throws when it does not answer. */
async function askServer(url: string): Promise<Primary | null> {
  const client = new pg.Client({
    ...connectionOf(url),
    application_name: 'countinghouse search',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Primary & { isPrimary: boolean }>(WHO)
    const [row] = rows
    if (!row?.isPrimary) return null
    return { server: row.server, cluster: row.cluster, timeline: row.timeline }
  } finally {
    // Not ended, for which a server that is cut off would have to answer.
    client.connection.stream.destroy()
  }
}
