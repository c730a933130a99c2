import { SourceError } from '../../connectors/contract/contract.ts'
import { connectorsWith } from '../../connectors/registry.ts'
import { createSources } from '../../connectors/sources.ts'
import { SecretRedactor } from '../../model/secret-redactor.ts'
import { createLog } from '../../process/log.ts'
import { openExistingKeysOf } from '../../process/settings/keys-setting.ts'
import { upgradeSchema } from '../../store/db/migrate.ts'
import { endLeases } from '../../store/jobs/leases.ts'
import { checkKeys } from '../../store/keys/key-fingerprints.ts'
import { createSealer } from '../../store/keys/sealing.ts'
import { tokenHasher } from '../../store/keys/token-hash.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import type { CommandContext } from '../command/command.ts'
import { openDatabaseOf } from './open-database.ts'
import { readSettings } from './settings.ts'

/** Database, keys and mappings of the deployment, and no way out to any source. */
export async function openReplay(context: Pick<CommandContext, 'env' | 'say'>): Promise<{ deps: SyncDeps; close(): Promise<void> }> {
  const config = readSettings(context)
  const secrets = new SecretRedactor()
  const log = createLog({ level: config.logLevel === 'info' ? 'warn' : config.logLevel, secrets, stream: { write: context.say } })
  const { database, isShared, close } = await openDatabaseOf(config, (error) => log.warn({ err: error }, 'a database connection broke'))
  try {
    await upgradeSchema(database)
    // The embedded database serves one process, so any earlier lease holder is gone.
    if (!isShared) await endLeases(database)
    const keys = await openExistingKeysOf(config)
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
        hashToken: tokenHasher(keys),
        baseUrl: config.connectUrl,
        now,
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
