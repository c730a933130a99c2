import type pg from 'pg'
import { LoginClient } from './login.ts'
import { Servers } from './servers.ts'

/** PostgreSQL routine that reports a commit whose wait was cancelled. */
const SYNC_WAIT = 'SyncRepWaitForLSN'

/**
 * Thrown for a commit that no standby confirmed: when the wait is cancelled, PostgreSQL reports success with a warning,
 * but a failover may lose the commit. Has the error code of a transaction with unknown outcome.
 * Source: https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION
 */
class UnconfirmedCommit extends Error {
  override readonly name = 'UnconfirmedCommit'
  readonly code = '08007'

  constructor() {
    super('the commit was not confirmed by a standby')
  }
}

/** One connection to the primary, outside all pools. */
export function createSession(url: string, name: string): pg.Client {
  const servers = new Servers(url)
  const StoreClient = clientOf(servers)
  return new StoreClient({ ...servers.first, application_name: name, connectionTimeoutMillis: 10_000 })
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/**
 * Client class of a pool: connects to the primary of several servers, and treats an unconfirmed commit as a failure.
 */
export function clientOf(servers: Servers): typeof pg.Client {
  return class StoreClient extends LoginClient {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      this.on('notice', (notice) => {
        if (notice.routine !== SYNC_WAIT) return
        // Fails the statement before its success message is read.
        this.connection.emit('error', new UnconfirmedCommit())
        this.connection.stream.destroy()
      })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = servers.hasSeveral ? this.#connectToPrimary() : super.connect()
      if (!callback) return connected
      connected.then(
        (client) => (callback as (error: null, client: pg.Client) => void)(null, client),
        (error: Error) => (callback as (error: Error) => void)(error),
      )
      return undefined
    }

    async #connectToPrimary(): Promise<pg.Client> {
      const { host, port } = await servers.findPrimary()
      this.host = host
      this.port = port
      try {
        const client = await super.connect()
        servers.add(this)
        return client
      } catch (error) {
        servers.forget()
        throw error
      }
    }
  }
}
