import pg from 'pg'
import { connectionOf, nameOf, urlsOf } from './database-url.ts'

/** Patience with one server that is asked what it is. */
const PROBE_MS = 3_000

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

/** The servers of one address, and which of them accepted writes when it was last asked. */
export class Servers {
  readonly urls: readonly string[]
  #primary: number | null
  #search: Promise<number> | null = null

  constructor(url: string) {
    this.urls = urlsOf(url)
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

  async #searchPrimary(): Promise<number> {
    try {
      const reasons: string[] = []
      const asked = this.urls.map(async (url, at) => {
        const reason = await probe(url).then(
          (isPrimary) => (isPrimary ? null : 'is read-only'),
          (error: unknown) => (error instanceof Error ? error.message || error.name : String(error)),
        )
        if (reason === null) return at
        reasons.push(`${nameOf(url)}: ${reason}`)
        throw new NoPrimary(reason)
      })
      this.#primary = await Promise.any(asked).catch(() => {
        throw new NoPrimary(`no server of the database accepts writes (${reasons.toSorted().join('; ')})`)
      })
      return this.#primary
    } finally {
      this.#search = null
    }
  }
}

function addressOf(url: string): ServerAddress {
  const { host, port } = new pg.Client(connectionOf(url))
  return { host, port }
}

/** Whether a server accepts writes. Throws when it does not answer. */
async function probe(url: string): Promise<boolean> {
  const client = new pg.Client({
    ...connectionOf(url),
    application_name: 'countinghouse search',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ isPrimary: boolean }>(
      `select not (pg_is_in_recovery() or current_setting('transaction_read_only') = 'on') as "isPrimary"`,
    )
    return rows[0]?.isPrimary === true
  } finally {
    // Not ended, for which a server that is cut off would have to answer.
    client.connection.stream.destroy()
  }
}
