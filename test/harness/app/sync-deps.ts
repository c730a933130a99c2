import type { ConnectorDescription, Kit } from '../../../src/connectors/contract/contract.ts'
import { createSources, type Sources } from '../../../src/connectors/sources.ts'
import type { Database } from '../../../src/store/db/database.ts'
import type { Keys } from '../../../src/store/keys/keys.ts'
import { createSealer } from '../../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../../src/store/keys/token-hash.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'

export const BASE_URL = 'http://127.0.0.1:8480'

/** The parts that differ: database, keys and sources. */
export interface SyncParts extends Partial<Omit<SyncDeps, 'database' | 'sealer' | 'sources'>> {
  database: Database
  keys: Keys
  sources: Sources
}

/** Dependencies of sync. An error in the log fails the test unless `log` is given. */
export function syncDeps({ database, keys, sources, ...others }: SyncParts): SyncDeps {
  return {
    database,
    sealer: createSealer(keys),
    sources,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => {
        throw fields.err
      },
    },
    hide: () => undefined,
    now: () => new Date(),
    hashToken: tokenHasher(keys),
    baseUrl: BASE_URL,
    ...others,
  }
}

/** Sources with the given kits, by key; a source without one does no HTTP. */
export function sourcesWithKits(descriptions: readonly ConnectorDescription[], kits: Readonly<Record<string, Kit>> = {}): Sources {
  const offline: Kit = { http: () => Promise.reject(new Error('this source does no HTTP')), app: {}, hosts: {}, now: () => new Date() }
  return new Map(
    descriptions.flatMap((description) => {
      const kit = kits[description.key]
      const simulators = kit ? { [description.key]: {} } : {}
      return [...createSources([description], { settings: {}, simulators, createKit: () => kit ?? offline })]
    }),
  )
}

/** A log that discards everything, including errors. */
export const SILENT: SyncDeps['log'] = { info: () => undefined, warn: () => undefined, error: () => undefined }
