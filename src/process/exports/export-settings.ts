import type { Database } from '../../store/db/database.ts'
import type { Config } from '../settings/config.ts'
import type { ExportSettings } from './messages.ts'

/**
 * Settings for the process of exports; null where there is none: a worker has a lower priority itself, and answers no
 * requests. `embeddedUrl`: address of the embedded database; null where the settings name one.
 */
export function exportSettings(config: Config, database: Database, embeddedUrl: string | null): ExportSettings | null {
  const databaseUrl = config.databaseUrl?.reveal() ?? embeddedUrl
  if (config.role !== 'all' || databaseUrl === null) return null
  const { databasePassword, dataDir, keys } = config
  return {
    databaseUrl,
    databaseDirectUrl: config.databaseDirectUrl?.reveal() ?? null,
    databaseReadUrl: config.databaseReadUrl?.reveal() ?? null,
    maxStalenessMs: config.databaseReadStalenessSeconds * 1_000,
    databasePassword,
    isDistributed: database.isDistributed,
    isEmbedded: config.databaseUrl === null,
    dataDir,
    keys: keys?.kind === 'text' ? { kind: 'text', text: keys.value.reveal() } : keys,
  }
}
