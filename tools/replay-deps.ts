import { SourceError } from '../src/connectors/contract/contract.ts'
import { connectorsWith } from '../src/connectors/registry.ts'
import { createSources } from '../src/connectors/sources.ts'
import { SecretRedactor } from '../src/model/secret-redactor.ts'
import { readConfig } from '../src/process/config.ts'
import { createLog } from '../src/process/log.ts'
import { openDatabase } from '../src/store/db/database.ts'
import { upgradeSchema } from '../src/store/db/migrate.ts'
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts'
import { endLeases } from '../src/store/jobs/leases.ts'
import { checkKeys } from '../src/store/keys/key-fingerprints.ts'
import { openKeys } from '../src/store/keys/keys.ts'
import { createSealer } from '../src/store/keys/sealing.ts'
import type { SyncDeps } from '../src/sync/context/deps.ts'

/** The database, the keys and the mappings of a deployment, and no way out to any source. */
export async function openReplayDeps(
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ deps: SyncDeps; close(): Promise<void> }> {
  const config = readConfig(env, [])
  const secrets = new SecretRedactor()
  const log = createLog({ level: config.logLevel === 'info' ? 'warn' : config.logLevel, secrets })
  const postgres = config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null
  const database = openDatabase(config.databaseUrl?.reveal() ?? postgres?.url ?? '', {
    onLost: (error) => log.warn({ err: error }, 'a database connection broke'),
  })
  const close = async (): Promise<void> => {
    await database.end()
    await postgres?.stop()
  }
  try {
    await upgradeSchema(database)
    // The embedded database serves one process, so whoever held a lease is gone.
    if (postgres) await endLeases(database)
    const keys = await openKeys(config.dataDir)
    await checkKeys(database, keys)
    const now = () => new Date()
    const http = () => Promise.reject(new SourceError('unavailable', 'a replay asks no source'))
    return {
      deps: {
        database,
        sealer: createSealer(keys),
        sources: createSources(connectorsWith(config.bankProfilesDir, config.environment === 'sandbox'), {
          settings: {},
          simulators: {},
          createKit: (app, hosts) => ({ http, app, hosts, now }),
        }),
        log,
        hide: (value) => secrets.add(value),
        hashToken: () => {
          throw new Error('a replay opens no links')
        },
        baseUrl: config.baseUrl,
        now,
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
