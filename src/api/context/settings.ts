import type { Secret } from '../../model/values/secret.ts'
import type { AccessSettings } from '../access/access.ts'
import { DEFAULT_HASH_COST, DEFAULT_LOGIN_LIMITS } from '../access/login/login-cost.ts'

/** API settings of the operator. */
export interface ApiSettings extends AccessSettings {
  /** Public URL of the deployment, no trailing slash. */
  publicUrl: string
  /** Public URL of the owners' pages, no trailing slash, if they have a host name of their own. */
  connectUrl: string | null
  /** Addresses or ranges of reverse proxies whose `X-Forwarded-For` is trusted; all others are ignored. */
  trustedProxies: readonly string[]
  /** Requests per minute: of one session, of one instance, and of one network without a valid token. 0: no limit. */
  requestLimits: RequestLimits
  /** Open sockets; further ones are closed at once. */
  maxConnections: number
  /** Who may read `/metrics`; null if metrics have a separate address. */
  metrics: MetricsAccess | null
}

interface MetricsAccess {
  /** Bearer token; null: see `isOpenToMachine`. */
  token: Secret | null
  /** Whether this machine may read without a token. */
  isOpenToMachine: boolean
}

interface RequestLimits {
  perSession: number
  perInstance: number
  perNetwork: number
}

const DEFAULT_REQUEST_LIMITS: RequestLimits = { perSession: 6_000, perInstance: 60_000, perNetwork: 600 }

/** Default settings of a deployment at `publicUrl`. */
export function defaultApiSettings(publicUrl: string): ApiSettings {
  return {
    publicUrl,
    connectUrl: null,
    issuer: publicUrl,
    accessTokenMinutes: 60,
    hashCost: DEFAULT_HASH_COST,
    login: DEFAULT_LOGIN_LIMITS,
    trustedProxies: [],
    requestLimits: DEFAULT_REQUEST_LIMITS,
    maxConnections: 10_000,
    metrics: { token: null, isOpenToMachine: true },
  }
}
