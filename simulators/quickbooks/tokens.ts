import { randomBytes } from 'node:crypto'
import type { GrantState, SimulatorState } from './state.ts'

const ACCESS_S = 3600
/** Rolling: each refresh starts it anew. Source: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/faq */
const REFRESH_S = 8_726_400
const HARD_CAP_S = 5 * 365 * 86_400
const CODE_MS = 10 * 60_000
/** A refresh token is given a new value when it is this old; the old value is refused from then on. */
const ROTATION_MS = 24 * 3_600_000

export interface TokenAnswer {
  token_type: 'bearer'
  access_token: string
  /** Seconds, as all of these. */
  expires_in: number
  refresh_token: string
  x_refresh_token_expires_in: number
  x_refresh_token_hard_expires_in: number
}

/** Codes, access tokens and refresh tokens of the simulator. Every change is in the state before it is answered. */
export class Tokens {
  readonly #state: SimulatorState
  readonly #now: () => Date

  constructor(state: SimulatorState, now: () => Date) {
    this.#state = state
    this.#now = now
  }

  /** A code that can be exchanged once, within ten minutes, by the same client for the same address. */
  issueCode(clientId: string, redirectUri: string, realmId: string): string {
    const code = `XAB1${randomBytes(20).toString('hex')}`
    this.#state.data.codes[code] = { clientId, redirectUri, realmId, expiresAt: this.#nowMs() + CODE_MS }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired or someone else's. */
  exchangeCode(clientId: string, code: string, redirectUri: string): TokenAnswer | null {
    const issued = this.#state.data.codes[code]
    if (!issued) return null
    delete this.#state.data.codes[code]
    const nowMs = this.#nowMs()
    if (issued.clientId !== clientId || issued.redirectUri !== redirectUri || issued.expiresAt < nowMs) {
      this.#state.save()
      return null
    }
    const id = randomBytes(8).toString('hex')
    const grant: GrantState = {
      id,
      clientId,
      realmId: issued.realmId,
      refreshToken: newRefreshToken(id),
      refreshIssuedAt: nowMs,
      refreshExpiresAt: nowMs + REFRESH_S * 1000,
      hardExpiresAt: nowMs + HARD_CAP_S * 1000,
      accessTokens: [],
    }
    this.#state.data.grants[id] = grant
    return this.#answer(grant)
  }

  /** Null: the token is unknown, rotated away, expired, revoked or someone else's. */
  refresh(clientId: string, refreshToken: string): TokenAnswer | null {
    const grant = this.#grantOf(refreshToken)
    const nowMs = this.#nowMs()
    if (!grant || grant.refreshToken !== refreshToken || grant.clientId !== clientId) return null
    if (grant.refreshExpiresAt < nowMs || grant.hardExpiresAt < nowMs) return null
    if (nowMs - grant.refreshIssuedAt >= ROTATION_MS) this.#rotate(grant)
    grant.refreshExpiresAt = nowMs + REFRESH_S * 1000
    return this.#answer(grant)
  }

  /** Rotates whatever the age, as if a day had passed; false when there is no such token. */
  rotateNow(refreshToken: string): boolean {
    const grant = this.#grantOf(refreshToken)
    if (!grant || grant.refreshToken !== refreshToken) return false
    this.#rotate(grant)
    this.#state.save()
    return true
  }

  /** The company that an access token opens; null when it is unknown, expired or revoked. */
  realmOf(accessToken: string): string | null {
    const grant = this.#grantOf(accessToken)
    const found = grant?.accessTokens.find(({ token }) => token === accessToken)
    return grant && found && found.expiresAt > this.#nowMs() ? grant.realmId : null
  }

  realmOfRefresh(refreshToken: string): string | null {
    return this.#grantOf(refreshToken)?.realmId ?? null
  }

  /** Ends the authorization that an access or refresh token belongs to; false when there is none. */
  revokeToken(clientId: string, token: string): boolean {
    const grant = this.#grantOf(token)
    const isIts = grant?.refreshToken === token || grant?.accessTokens.some((access) => access.token === token)
    if (!grant || !isIts || grant.clientId !== clientId) return false
    delete this.#state.data.grants[grant.id]
    this.#state.save()
    return true
  }

  /** What the owner does under "My apps": all authorizations of a company end. */
  revokeRealm(realmId: string): void {
    for (const grant of Object.values(this.#state.data.grants)) {
      if (grant.realmId === realmId) delete this.#state.data.grants[grant.id]
    }
    this.#state.save()
  }

  #answer(grant: GrantState): TokenAnswer {
    const nowMs = this.#nowMs()
    const token = `eyJ${grant.id}.${randomBytes(32).toString('base64url')}`
    grant.accessTokens = [...grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs), { token, expiresAt: nowMs + ACCESS_S * 1000 }]
    this.#state.save()
    return {
      token_type: 'bearer',
      access_token: token,
      expires_in: ACCESS_S,
      refresh_token: grant.refreshToken,
      x_refresh_token_expires_in: Math.floor((grant.refreshExpiresAt - nowMs) / 1000),
      x_refresh_token_hard_expires_in: Math.floor((grant.hardExpiresAt - nowMs) / 1000),
    }
  }

  #rotate(grant: GrantState): void {
    grant.refreshToken = newRefreshToken(grant.id)
    grant.refreshIssuedAt = this.#nowMs()
  }

  #grantOf(token: string): GrantState | undefined {
    const id = /^(?:eyJ|RT1-)([0-9a-f]{16})[.-]/.exec(token)?.[1]
    return id === undefined ? undefined : this.#state.data.grants[id]
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}

function newRefreshToken(grantId: string): string {
  return `RT1-${grantId}-${randomBytes(20).toString('hex')}`
}
