import pino from 'pino'
import { Registry } from 'prom-client'
import { type ApiSettings, defaultApiSettings } from '../../../src/api/context/settings.ts'
import { createPageCache } from '../../../src/api/read-cache/create-page-cache.ts'
import type { RouteDeps } from '../../../src/api/routes/route-deps.ts'
import { EgressError } from '../../../src/egress/egress-error.ts'
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
  /** The way to identity providers; without it none can be reached. */
  providers?: RouteDeps['providers']
}

/** Refuses every call, whatever a test saves as an issuer. */
export const NO_PROVIDERS: RouteDeps['providers'] = {
  egress: { request: () => Promise.reject(new EgressError('unreachable')) },
  allowPrivate: true,
}

/** Dependencies of the API: database, sealer, clock and address are those of sync. */
export function apiDeps({
  sync,
  keys,
  log,
  settings,
  pageCacheBytes = 1_000_000,
  allowPrivate = false,
  providers = NO_PROVIDERS,
}: ApiParts): RouteDeps {
  const { database, sealer, now, baseUrl } = sync
  return {
    database,
    replicas: sync.replicas,
    keys,
    sealer,
    log: log ?? pino({ level: 'silent' }),
    metrics: new Registry(),
    settings: { ...defaultApiSettings(baseUrl), hashCost: TEST_HASH_COST, ...settings },
    providers,
    now,
    sync,
    pageCache: createPageCache(database, { maxBytes: pageCacheBytes }),
    webhooks: { database, sealer, callbackRules: { allowPrivate, ownHost: new URL(baseUrl).host } },
  }
}
