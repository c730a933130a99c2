import { createHash, randomBytes } from 'node:crypto'
import type { StateStore } from '../state.ts'

/** Milliseconds since the epoch by the simulator's clock, as every `…At` here. */
export interface IssuedToken {
  token: string
  issuedAt: number
  expiresAt: number
}

interface Allowed {
  clientId: string
  /** Key of the login. */
  login: string
  /** Id of the selected books; null if the login gives access to all its books. */
  businessId: string | null
  scope: string
  /** Source-specific data of the authorization. */
  notes: Record<string, string>
}

/** An authorization code. */
export interface Code extends Allowed {
  redirectUri: string
  /** PKCE code challenge; empty if the app sent none. */
  challenge: string
  expiresAt: number
}

export interface Grant extends Allowed {
  id: string
  /** True for a client without a secret. */
  isPublic: boolean
  /** Time at which the grant expires, regardless of refreshes. */
  endsAt: number
  /** Refresh tokens, oldest first. */
  refreshTokens: IssuedToken[]
  accessTokens: IssuedToken[]
}

/** Token lifetimes of a source and the effects of a refresh. */
export interface GrantRules {
  codeS: number
  accessS: number
  refreshS(grant: Grant): number
  /** Lifetime of a grant regardless of refreshes; defaults to unlimited. */
  grantS?(grant: Grant): number
  newCode?(): string
  newAccessToken?(grant: Grant, nowMs: number): string
  newRefreshToken?(grant: Grant, nowMs: number): string
  /** Whether refresh tokens are issued; defaults to always. */
  hasRefreshToken?(grant: Grant): boolean
  /** Whether a refresh issues a new refresh token; defaults to always. `isLost`: the response will not arrive. */
  rotates?(grant: Grant, used: IssuedToken, at: { nowMs: number; isLost: boolean }): boolean
  /** Seconds for which a replaced refresh token stays valid; defaults to 0. */
  graceS?: number
  /** Maximum number of refresh tokens kept per grant; defaults to 2. */
  maxRefreshTokens?: number
  /** Whether using a refresh token that is not replaced restarts its lifetime. */
  restartsLifetime?: boolean
  /** Whether access tokens stay valid when the grant is refreshed. */
  keepsAccessTokens?: boolean
  /** Called for a new grant with earlier grants of the same user and app, oldest first. */
  onNewGrant?(before: readonly Grant[], grants: Grants): void
}

type Store = StateStore<{ codes: Record<string, Code>; grants: Record<string, Grant> }>

const CODE_BYTES = 24
const TOKEN_BYTES = 32
const FOREVER = Number.MAX_SAFE_INTEGER

/**
 * Authorization codes, access tokens and refresh tokens of a simulator. Every change is saved before it is answered.
 */
export class Grants {
  readonly rules: GrantRules
  readonly #state: Store
  readonly #now: () => Date

  constructor(state: Store, now: () => Date, rules: GrantRules) {
    this.#state = state
    this.#now = now
    this.rules = rules
  }

  /** Issues a single-use authorization code, bound to the client and redirect URI. */
  issueCode(request: Omit<Code, 'expiresAt'>): string {
    const code = this.rules.newCode?.() ?? randomBytes(CODE_BYTES).toString('base64url')
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + this.rules.codeS * 1000 }
    this.#state.save()
    return code
  }

  /**
   * Returns null if the code is unknown, used, expired, issued to another client, or fails the PKCE check. A public
   * client must have sent a challenge.
   */
  exchangeCode(client: { id: string; isPublic: boolean }, request: { code: string; redirectUri: string; verifier: string }): Grant | null {
    const issued = this.#state.data.codes[request.code]
    if (!issued) return null
    delete this.#state.data.codes[request.code]
    this.#state.save()
    const { redirectUri, challenge, expiresAt, ...allowed } = issued
    const isProved = challenge === '' ? !client.isPublic : challenge === createHash('sha256').update(request.verifier).digest('base64url')
    const isTheirs = issued.clientId === client.id && redirectUri === request.redirectUri
    if (!isTheirs || !isProved || expiresAt < this.#nowMs()) return null
    const id = randomBytes(8).toString('hex')
    const grant: Grant = { ...allowed, id, isPublic: client.isPublic, endsAt: FOREVER, refreshTokens: [], accessTokens: [] }
    grant.endsAt = this.rules.grantS ? this.#nowMs() + this.rules.grantS(grant) * 1000 : FOREVER
    const before = this.list().filter(({ clientId, login }) => clientId === grant.clientId && login === grant.login)
    this.rules.onNewGrant?.(before, this)
    this.#state.data.grants[id] = grant
    if (this.rules.hasRefreshToken?.(grant) ?? true) this.#rotate(grant)
    return this.#giveAccess(grant)
  }

  /** Whether the token is known, belongs to the client, and is neither replaced nor expired. */
  canRefresh(clientId: string, refreshToken: string): boolean {
    const { grant, used } = this.#findUsed(refreshToken)
    return grant?.clientId === clientId && used !== undefined && Math.min(used.expiresAt, grant.endsAt) >= this.#nowMs()
  }

  /** Issues new tokens by the rules; returns null if the refresh token is not valid. */
  refresh(clientId: string, refreshToken: string, isLost = false): Grant | null {
    const { grant, used } = this.#findUsed(refreshToken)
    if (!grant || !used || !this.canRefresh(clientId, refreshToken)) return null
    const nowMs = this.#nowMs()
    if (this.rules.rotates?.(grant, used, { nowMs, isLost }) ?? true) this.#rotate(grant)
    else if (this.rules.restartsLifetime) used.expiresAt = nowMs + this.rules.refreshS(grant) * 1000
    return this.#giveAccess(grant)
  }

  /** Returns null if the access token is unknown, expired or revoked. */
  findByAccess(accessToken: string): Grant | null {
    const isLive = ({ token, expiresAt }: IssuedToken) => token === accessToken && expiresAt > this.#nowMs()
    return this.list().find((grant) => grant.accessTokens.some(isLive)) ?? null
  }

  /** The grant of a refresh token, expired or not. */
  findByRefresh(refreshToken: string): Grant | null {
    return this.#findUsed(refreshToken).grant ?? null
  }

  /** Grants, oldest first. */
  list(): Grant[] {
    return Object.values(this.#state.data.grants)
  }

  end(grant: Grant): void {
    delete this.#state.data.grants[grant.id]
    this.#state.save()
  }

  /** Ends every matching grant, as a user can in the source's own settings. */
  endAll(fits: (grant: Grant) => boolean): void {
    for (const grant of this.list()) if (fits(grant)) this.end(grant)
  }

  /** Removes the refresh tokens of a grant; its access tokens stay valid. */
  dropRefreshTokens(grant: Grant): void {
    grant.refreshTokens = []
    this.#state.save()
  }

  #findUsed(refreshToken: string): { grant?: Grant; used?: IssuedToken } {
    for (const grant of this.list()) {
      const used = grant.refreshTokens.find(({ token }) => token === refreshToken)
      if (used) return { grant, used }
    }
    return {}
  }

  #rotate(grant: Grant): void {
    const nowMs = this.#nowMs()
    const token = this.rules.newRefreshToken?.(grant, nowMs) ?? `r${randomBytes(TOKEN_BYTES).toString('base64url')}`
    const graceEndsAt = nowMs + (this.rules.graceS ?? 0) * 1000
    const replaced = grant.refreshTokens.map((each) => ({ ...each, expiresAt: Math.min(each.expiresAt, graceEndsAt) }))
    const made = { token, issuedAt: nowMs, expiresAt: nowMs + this.rules.refreshS(grant) * 1000 }
    grant.refreshTokens = [...replaced.filter(({ expiresAt }) => expiresAt > nowMs), made].slice(-(this.rules.maxRefreshTokens ?? 2))
  }

  #giveAccess(grant: Grant): Grant {
    const nowMs = this.#nowMs()
    const token = this.rules.newAccessToken?.(grant, nowMs) ?? `a${randomBytes(TOKEN_BYTES).toString('base64url')}`
    const live = this.rules.keepsAccessTokens ? grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs) : []
    grant.accessTokens = [...live, { token, issuedAt: nowMs, expiresAt: nowMs + this.rules.accessS * 1000 }]
    this.#state.save()
    return grant
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}

/** The newest tokens of a grant; `refreshToken` is '' if there is none. */
export function newestTokens(grant: Grant): { accessToken: string; refreshToken: string; refreshExpiresAt: number } {
  const refresh = grant.refreshTokens.at(-1)
  return {
    accessToken: grant.accessTokens.at(-1)?.token ?? '',
    refreshToken: refresh?.token ?? '',
    refreshExpiresAt: refresh?.expiresAt ?? 0,
  }
}
