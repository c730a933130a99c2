import { createHash, randomBytes } from 'node:crypto'
import type { StateStore } from '../state.ts'

/** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
export interface IssuedToken {
  token: string
  issuedAt: number
  expiresAt: number
}

interface Allowed {
  clientId: string
  /** Key of the sign-in. */
  login: string
  /** The books that were chosen; null when the sign-in opens all of its books. */
  businessId: string | null
  scope: string
  /** What only this source keeps of an authorization. */
  notes: Record<string, string>
}

/** An authorization code. */
export interface Code extends Allowed {
  redirectUri: string
  /** Of PKCE; empty when the app sent none. */
  challenge: string
  expiresAt: number
}

export interface Grant extends Allowed {
  id: string
  /** Of a client without a secret. */
  isPublic: boolean
  /** Then it ends, whatever is refreshed. */
  endsAt: number
  /** Oldest first, as both. */
  refreshTokens: IssuedToken[]
  accessTokens: IssuedToken[]
}

/** How long the tokens of a source live and what a refresh does to them. */
export interface GrantRules {
  codeS: number
  accessS: number
  refreshS(grant: Grant): number
  /** Life of a grant, whatever is refreshed; without end when left out. */
  grantS?(grant: Grant): number
  newCode?(): string
  newAccessToken?(grant: Grant, nowMs: number): string
  newRefreshToken?(grant: Grant, nowMs: number): string
  /** Whether there are refresh tokens at all; always when left out. */
  hasRefreshToken?(grant: Grant): boolean
  /** Whether a refresh gives a new refresh token; always when left out. `isLost`: its answer will not arrive. */
  rotates?(grant: Grant, used: IssuedToken, at: { nowMs: number; isLost: boolean }): boolean
  /** Seconds that a refresh token works on after it was replaced; none when left out. */
  graceS?: number
  /** Refresh tokens of one grant that are remembered; 2 when left out. */
  mostRefreshTokens?: number
  /** Whether a refresh token that is not replaced begins its life again. */
  rolls?: boolean
  /** Whether access tokens live on when the grant is refreshed. */
  keepsAccessTokens?: boolean
  /** What a new grant of a person and app does to the ones before, oldest first. */
  atNewGrant?(before: readonly Grant[], grants: Grants): void
}

type Store = StateStore<{ codes: Record<string, Code>; grants: Record<string, Grant> }>

const CODE_BYTES = 24
const TOKEN_BYTES = 32
const FOREVER = Number.MAX_SAFE_INTEGER

/** Codes, access tokens and refresh tokens of a simulator. Every change is in the state before it is answered. */
export class Grants {
  readonly rules: GrantRules
  readonly #state: Store
  readonly #now: () => Date

  constructor(state: Store, now: () => Date, rules: GrantRules) {
    this.#state = state
    this.#now = now
    this.rules = rules
  }

  /** A code that can be exchanged once, by the same client for the same address. */
  issueCode(request: Omit<Code, 'expiresAt'>): string {
    const code = this.rules.newCode?.() ?? randomBytes(CODE_BYTES).toString('base64url')
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + this.rules.codeS * 1000 }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired, someone else's, or asked for by another verifier. A public client must have sent a challenge. */
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
    this.rules.atNewGrant?.(before, this)
    this.#state.data.grants[id] = grant
    if (this.rules.hasRefreshToken?.(grant) ?? true) this.#rotate(grant)
    return this.#giveAccess(grant)
  }

  /** Whether the token is known, neither replaced nor expired, and the client's. */
  canRefresh(clientId: string, refreshToken: string): boolean {
    const { grant, used } = this.#findUsed(refreshToken)
    return grant?.clientId === clientId && used !== undefined && Math.min(used.expiresAt, grant.endsAt) >= this.#nowMs()
  }

  /** The grant with new tokens, by the rules; null when the token cannot be refreshed. */
  refresh(clientId: string, refreshToken: string, isLost = false): Grant | null {
    const { grant, used } = this.#findUsed(refreshToken)
    if (!grant || !used || !this.canRefresh(clientId, refreshToken)) return null
    const nowMs = this.#nowMs()
    if (this.rules.rotates?.(grant, used, { nowMs, isLost }) ?? true) this.#rotate(grant)
    else if (this.rules.rolls) used.expiresAt = nowMs + this.rules.refreshS(grant) * 1000
    return this.#giveAccess(grant)
  }

  /** Null when the access token is unknown, expired or revoked. */
  findByAccess(accessToken: string): Grant | null {
    const isLive = ({ token, expiresAt }: IssuedToken) => token === accessToken && expiresAt > this.#nowMs()
    return this.list().find((grant) => grant.accessTokens.some(isLive)) ?? null
  }

  /** The grant of a refresh token, expired or not. */
  findByRefresh(refreshToken: string): Grant | null {
    return this.#findUsed(refreshToken).grant ?? null
  }

  /** Oldest first. */
  list(): Grant[] {
    return Object.values(this.#state.data.grants)
  }

  end(grant: Grant): void {
    delete this.#state.data.grants[grant.id]
    this.#state.save()
  }

  /** What a person does in the source's own settings: every authorization that fits ends. */
  endAll(fits: (grant: Grant) => boolean): void {
    for (const grant of this.list()) if (fits(grant)) this.end(grant)
  }

  /** The grant has no refresh token any more; its access tokens live on. */
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
    grant.refreshTokens = [...replaced.filter(({ expiresAt }) => expiresAt > nowMs), made].slice(-(this.rules.mostRefreshTokens ?? 2))
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

/** The newest tokens of a grant; a refresh token of '' where there is none. */
export function newestTokens(grant: Grant): { accessToken: string; refreshToken: string; refreshExpiresAt: number } {
  const refresh = grant.refreshTokens.at(-1)
  return {
    accessToken: grant.accessTokens.at(-1)?.token ?? '',
    refreshToken: refresh?.token ?? '',
    refreshExpiresAt: refresh?.expiresAt ?? 0,
  }
}
