import { createHmac, randomBytes } from 'node:crypto'
import type { ConnectorDescription, Kit } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import type { Database } from '../../src/store/db/database.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'

/** What the sync room works with, for sources that do no HTTP. An error in the log is an error of the test. */
export function depsOn(database: Database, keys: Keys, sources: readonly ConnectorDescription[]): SyncDeps {
  const secret = randomBytes(32)
  const kit: Kit = { http: () => Promise.reject(new Error('scripted sources do no HTTP')), app: {}, hosts: {}, now: () => new Date() }
  return {
    database,
    sealer: createSealer(keys),
    sources: createSources(sources, { settings: {}, simulators: {}, createKit: () => kit }),
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => {
        throw fields.err
      },
    },
    hide: () => undefined,
    now: () => new Date(),
    hashToken: (token) => createHmac('sha256', secret).update(token).digest(),
    baseUrl: 'http://127.0.0.1:8480',
  }
}
