import type { Secret } from '../../model/values/secret.ts'
import type { AccessSettings } from '../access/access.ts'
import { DEFAULT_LOGIN_LIMITS } from '../access/access.ts'
import { DEFAULT_HASH_COST } from '../access/password-hashing.ts'

/** What an operator sets about the API. */
export interface ApiSettings extends AccessSettings {
  /** Public address of the deployment, no trailing slash. */
  publicUrl: string
  /** Addresses or ranges of the proxies in front, whose `X-Forwarded-For` is believed; nobody else's is. */
  trustedProxies: readonly string[]
  /** Requests a minute: of one session, of one instance, and of one network without a valid token. 0 means no limit. */
  requestLimits: RequestLimits
  /** What `/metrics` wants to be shown; null: see below. */
  metricsToken: Secret | null
  /** Whether `/metrics` answers to this machine without a token. */
  metricsOpenToMachine: boolean
}

interface RequestLimits {
  perSession: number
  perInstance: number
  perNetwork: number
}

const DEFAULT_REQUEST_LIMITS: RequestLimits = { perSession: 6_000, perInstance: 60_000, perNetwork: 600 }

/** The settings of a deployment at `publicUrl` whose operator changed nothing. */
export function defaultApiSettings(publicUrl: string): ApiSettings {
  return {
    publicUrl,
    issuer: publicUrl,
    accessTokenMinutes: 60,
    hashCost: DEFAULT_HASH_COST,
    login: DEFAULT_LOGIN_LIMITS,
    trustedProxies: [],
    requestLimits: DEFAULT_REQUEST_LIMITS,
    metricsToken: null,
    metricsOpenToMachine: true,
  }
}
