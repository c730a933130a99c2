import type { Config } from '../../process/settings/config.ts'
import { isDistributed } from '../../store/db/cluster/distribute.ts'
import { type Database, openDatabase } from '../../store/db/database.ts'
import { findHomeFolder } from '../../store/embedded/home.ts'
import { startEmbeddedPostgres } from '../../store/embedded/postgres.ts'
import { findRunningPostgres } from '../../store/embedded/running.ts'
import { refuseUnfinishedRestore } from '../../store/snapshot/unfinished-restore.ts'
import type { CommandContext } from '../command/command.ts'

/** Thrown before the first start: only a start creates a database. */
class NoDatabase extends Error {
  constructor(dataDir: string) {
    super(`there is no database in ${dataDir}; give the command the settings of the service`)
    this.name = 'NoDatabase'
  }
}

export interface OpenedDatabase {
  database: Database
  /** Address of sessions. */
  url: string
  /** Whether the service may be working on it at the same time. */
  isShared: boolean
  close(): Promise<void>
}

/**
 * Opens the deployment's database as it is, without creating or migrating it: the configured one, the embedded PostgreSQL that the
 * running service has started, or the embedded one started for this command.
 */
export async function openDatabaseOf(
  { databaseUrl, databaseDirectUrl, dataDir }: Config,
  onLost: (error: Error) => void,
): Promise<OpenedDatabase> {
  await refuseUnfinishedRestore(dataDir)
  const shared = databaseUrl?.reveal() ?? (await findRunningPostgres(dataDir))
  if (shared === null && (await findHomeFolder(dataDir)) === null) throw new NoDatabase(dataDir)
  const postgres = shared === null ? await startEmbeddedPostgres({ dataDir }) : null
  const url = shared ?? postgres?.url ?? ''
  const directUrl = databaseDirectUrl?.reveal()
  const database = openDatabase(url, { onLost, name: 'countinghouse command', directUrl })
  return {
    database,
    url: directUrl ?? url,
    isShared: shared !== null,
    close: async () => {
      await database.end()
      await postgres?.stop()
    },
  }
}

/** Runs work of a command on the deployment's database, and closes it; lost connections are reported. */
export async function withDatabase<T>(
  { say }: Pick<CommandContext, 'say'>,
  config: Config,
  work: (opened: OpenedDatabase) => Promise<T>,
): Promise<T> {
  const opened = await openDatabaseOf(config, (error) => say(error.message))
  try {
    opened.database.isDistributed = await isDistributed(opened.database)
    return await work(opened)
  } finally {
    await opened.close()
  }
}
