import type { Config } from '../../process/settings/config.ts'
import { type Database, openDatabase } from '../../store/db/database.ts'
import { startEmbeddedPostgres } from '../../store/embedded/postgres.ts'

export interface OpenedDatabase {
  database: Database
  close(): Promise<void>
}

/**
 * Opens the deployment's database as it is, without migrating it. Starts the embedded PostgreSQL, for which the service
 * must not be running.
 */
export async function openDatabaseOf({ databaseUrl, dataDir }: Config, onLost: (error: Error) => void): Promise<OpenedDatabase> {
  const postgres = databaseUrl === null ? await startEmbeddedPostgres({ dataDir }) : null
  const database = openDatabase(databaseUrl?.reveal() ?? postgres?.url ?? '', { onLost, name: 'countinghouse command' })
  return {
    database,
    close: async () => {
      await database.end()
      await postgres?.stop()
    },
  }
}
