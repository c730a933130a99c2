import pino from 'pino'
import { Registry } from 'prom-client'
import { type ApiSettings, defaultApiSettings } from '../../../src/api/context/settings.ts'
import { createPageCache } from '../../../src/api/read-cache/create-page-cache.ts'
import type { RouteDeps } from '../../../src/api/routes/route-deps.ts'
import type { Keys } from '../../../src/store/keys/keys.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'
import { TEST_HASH_COST } from './users.ts'

export interface ApiParts {
  sync: SyncDeps
  keys: Keys
  log?: RouteDeps['log']
  settings?: Partial<ApiSettings>
  pageCacheBytes?: number
  /** Whether callbacks may use loopback addresses. */
  allowPrivate?: boolean
}

/** Dependencies of the API: database, sealer, clock and address are those of sync. */
export function apiDeps({ sync, keys, log, settings, pageCacheBytes = 1_000_000, allowPrivate = false }: ApiParts): RouteDeps {
  const { database, sealer, now, baseUrl } = sync
  return {
    database,
    keys,
    sealer,
    log: log ?? pino({ level: 'silent' }),
    metrics: new Registry(),
    settings: { ...defaultApiSettings(baseUrl), hashCost: TEST_HASH_COST, ...settings },
    now,
    sync,
    pageCache: createPageCache(database, { maxBytes: pageCacheBytes }),
    webhooks: { database, sealer, callbackRules: { allowPrivate } },
  }
}
