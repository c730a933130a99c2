export interface LoginLimits {
  /**
   * Attempts on one account from networks it has not logged in from, per window; each known network has its own limit
   * of the same size.
   */
  perAccount: number
  /** Attempts from one network, per window. */
  perNetwork: number
  windowSeconds: number
  /** Attempts of all clients from networks unknown to the account, per minute. */
  perMinute: number
  /** Half minutes before and after the current one whose codes of authenticator apps are accepted too. */
  codeDriftSteps: number
}

/** Cost of one argon2id hash. */
export interface HashCost {
  memoryKiB: number
  passes: number
  lanes: number
}

export const DEFAULT_LOGIN_LIMITS: LoginLimits = { perAccount: 5, perNetwork: 30, windowSeconds: 900, perMinute: 600, codeDriftSteps: 1 }
export const DEFAULT_HASH_COST: HashCost = { memoryKiB: 64 * 1024, passes: 3, lanes: 1 }
