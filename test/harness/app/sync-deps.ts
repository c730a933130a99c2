import type { ConnectorDescription, Kit } from '../../../src/connectors/contract/contract.ts'
import { createSources, type Sources } from '../../../src/connectors/sources.ts'
import type { Database } from '../../../src/store/db/database.ts'
import type { Keys } from '../../../src/store/keys/keys.ts'
import { createSealer } from '../../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../../src/store/keys/token-hash.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'

export const BASE_URL = 'http://127.0.0.1:8480'

/** What is built of them: the database, the keys and the sources. */
export interface SyncParts extends Partial<Omit<SyncDeps, 'database' | 'sealer' | 'sources'>> {
  database: Database
  keys: Keys
  sources: Sources
}

/** All that sync works with. An error in the log is an error of the test unless `log` says otherwise. */
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

/** Sources that are reached with the kits of their keys; one without a kit does no HTTP. */
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

/** A log that keeps quiet, errors too. */
export const SILENT: SyncDeps['log'] = { info: () => undefined, warn: () => undefined, error: () => undefined }
