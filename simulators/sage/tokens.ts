import { createHash, randomBytes } from 'node:crypto'
import type { CodeState, GrantState, SimulatorState } from './state.ts'

const ACCESS_S = 300
const REFRESH_S = 2_678_400
const CODE_MS = 60_000

export interface TokenAnswer {
  access_token: string
  scope: 'readonly'
  token_type: 'bearer'
  /** Seconds, as both of these. */
  expires_in: number
  refresh_token: string
  refresh_token_expires_in: number
  requested_by_id: string
}

/** Codes, access tokens and refresh tokens of the simulator. Every change is in the state before it is answered. */
export class Tokens {
  readonly #state: SimulatorState
  readonly #now: () => Date

  constructor(state: SimulatorState, now: () => Date) {
    this.#state = state
    this.#now = now
  }

  /** A code that can be exchanged once, within a minute, by the same client for the same address. */
  issueCode(request: Omit<CodeState, 'expiresAt'>): string {
    const code = `CA/${randomBytes(24).toString('hex')}`
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + CODE_MS }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired, someone else's, or asked for by another verifier. */
  exchangeCode(clientId: string, code: string, redirectUri: string, verifier: string): TokenAnswer | null {
    const issued = this.#state.data.codes[code]
    if (!issued) return null
    delete this.#state.data.codes[code]
    const isProved = issued.challenge === '' || issued.challenge === createHash('sha256').update(verifier).digest('base64url')
    if (issued.clientId !== clientId || issued.redirectUri !== redirectUri || issued.expiresAt < this.#nowMs() || !isProved) {
      this.#state.save()
      return null
    }
    const id = randomBytes(8).toString('hex')
    const grant: GrantState = { id, clientId, login: issued.login, refreshToken: '', refreshExpiresAt: 0, accessTokens: [] }
    this.#state.data.grants[id] = grant
    return this.#renew(grant)
  }

  /** Null: the token is unknown, used, expired, revoked or someone else's. */
  refresh(clientId: string, refreshToken: string): TokenAnswer | null {
    const grant = this.#grantOf(refreshToken)
    return grant && grant.clientId === clientId && grant.refreshExpiresAt > this.#nowMs() ? this.#renew(grant) : null
  }

  /** The sign-in that an access token stands for; null when it is unknown or expired. */
  loginOf(accessToken: string): string | null {
    const id = /^eyJ([0-9a-f]{16})\./.exec(accessToken)?.[1]
    const grant = id === undefined ? undefined : this.#state.data.grants[id]
    const found = grant?.accessTokens.find(({ token }) => token === accessToken)
    return grant && found && found.expiresAt > this.#nowMs() ? grant.login : null
  }

  loginOfRefresh(refreshToken: string): string | null {
    return this.#grantOf(refreshToken)?.login ?? null
  }

  /** Ends a refresh token; access tokens cannot be revoked and live on. False when there is no such token. */
  revokeToken(clientId: string, refreshToken: string): boolean {
    const grant = this.#grantOf(refreshToken)
    if (!grant || grant.clientId !== clientId) return false
    grant.refreshToken = ''
    this.#state.save()
    return true
  }

  /** Everything that the person authorized ends at once, as when the account is closed. */
  revokeLogin(login: string): void {
    for (const grant of Object.values(this.#state.data.grants)) {
      if (grant.login === login) delete this.#state.data.grants[grant.id]
    }
    this.#state.save()
  }

  /** A new pair; the refresh token of before is dead, its access tokens live out their five minutes. */
  #renew(grant: GrantState): TokenAnswer {
    const nowMs = this.#nowMs()
    const token = `eyJ${grant.id}.${randomBytes(48).toString('base64url')}`
    grant.refreshToken = `eyR${grant.id}.${randomBytes(48).toString('base64url')}`
    grant.refreshExpiresAt = nowMs + REFRESH_S * 1000
    grant.accessTokens = [...grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs), { token, expiresAt: nowMs + ACCESS_S * 1000 }]
    this.#state.save()
    return {
      access_token: token,
      scope: 'readonly',
      token_type: 'bearer',
      expires_in: ACCESS_S,
      refresh_token: grant.refreshToken,
      refresh_token_expires_in: REFRESH_S,
      requested_by_id: `${grant.id.slice(0, 8)}-41ba-483f-a3ff-49fdb57b9c38`,
    }
  }

  #grantOf(refreshToken: string): GrantState | undefined {
    const id = /^eyR([0-9a-f]{16})\./.exec(refreshToken)?.[1]
    const grant = id === undefined ? undefined : this.#state.data.grants[id]
    return grant?.refreshToken === refreshToken ? grant : undefined
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}
