import { join } from 'node:path'
import type { Database } from '../../src/store/db/database.ts'
import { testDatabase } from '../harness/database.ts'
import { openTestFolder, type Service, startService } from './service.ts'

/** The service in its sandbox, for tests of its clients. */
export interface Sandbox {
  service: Service
  /** Database of the service. */
  database: Database
  /** Folder for the test's files; that of the service's data lies in it. */
  path: string
  close(): Promise<void>
}

/** The least that the settings allow: every window of a browser signs in. */
const CHEAP_PASSWORDS = { HASH_MEMORY_KIB: '19456', HASH_PASSES: '2' }

/**
 * Starts the service in its sandbox on a database of the run's PostgreSQL, already migrated: the embedded PostgreSQL
 * costs processor time to be made, migrated and stopped. Tests of the start itself and of crashes use `startService`,
 * and so do those of commands that find the database by the data directory (`login --sandbox`, `token`).
 */
export async function openSandbox(environment: Record<string, string> = {}): Promise<Sandbox> {
  const folder = await openTestFolder()
  const database = await testDatabase()
  const remove = async (): Promise<void> => {
    await database.drop()
    await folder.remove()
  }
  try {
    const service = await startService({
      dataDir: join(folder.path, 'data'),
      environment: { ...database.environment, ...CHEAP_PASSWORDS, ...environment },
    })
    return {
      service,
      database: database.database,
      path: folder.path,
      close: async () => {
        await service.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
