import { createHash, randomBytes } from 'node:crypto'
import type { CodeState, GrantState, SimulatorState } from './state.ts'

const ACCESS_S = 43_200
const CODE_MS = 5 * 60_000

export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  /** Seconds from `created_at`. */
  expires_in: number
  refresh_token: string
  scope: string
  created_at: number
  direct_buy_tokens: object
}

/** Codes, access tokens and refresh tokens of the simulator. Every change is in the state before it is answered. */
export class Tokens {
  readonly #state: SimulatorState
  readonly #now: () => Date

  constructor(state: SimulatorState, now: () => Date) {
    this.#state = state
    this.#now = now
  }

  /** A code that can be exchanged once, within five minutes, by the same client for the same address. */
  issueCode(request: Omit<CodeState, 'expiresAt'>): string {
    const code = randomBytes(32).toString('hex')
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
    this.#endOthers(clientId, issued.login)
    const id = randomBytes(8).toString('hex')
    const grant: GrantState = { id, clientId, login: issued.login, refreshToken: '', accessToken: '', accessExpiresAt: 0 }
    this.#state.data.grants[id] = grant
    return this.#renew(grant)
  }

  /** Null: the token is unknown, used, ended, revoked or someone else's. */
  refresh(clientId: string, refreshToken: string): TokenAnswer | null {
    const grant = this.#grantOf(refreshToken)
    return grant && grant.clientId === clientId ? this.#renew(grant) : null
  }

  /** The sign-in that an access token stands for; null when it is unknown, expired or revoked. */
  loginOf(accessToken: string): string | null {
    if (accessToken === '') return null
    const grant = Object.values(this.#state.data.grants).find((each) => each.accessToken === accessToken)
    return grant && grant.accessExpiresAt > this.#nowMs() ? grant.login : null
  }

  loginOfRefresh(refreshToken: string): string | null {
    return this.#grantOf(refreshToken)?.login ?? null
  }

  /** Ends the authorization of a refresh or access token, both tokens at once; false when there is none. */
  revokeToken(clientId: string, token: string): boolean {
    const grant = this.#grantOf(token) ?? Object.values(this.#state.data.grants).find(({ accessToken }) => accessToken === token)
    if (!grant || grant.clientId !== clientId) return false
    delete this.#state.data.grants[grant.id]
    this.#state.save()
    return true
  }

  /** What the person does under "Connected apps": every authorization ends. */
  revokeLogin(login: string): void {
    for (const grant of Object.values(this.#state.data.grants)) {
      if (grant.login === login) delete this.#state.data.grants[grant.id]
    }
    this.#state.save()
  }

  /** Only one refresh token lives for each person and app. Source: https://www.freshbooks.com/api/authentication */
  #endOthers(clientId: string, login: string): void {
    for (const grant of Object.values(this.#state.data.grants)) {
      if (grant.clientId === clientId && grant.login === login) grant.refreshToken = ''
    }
  }

  /** A new pair; both tokens of before are dead from now on. */
  #renew(grant: GrantState): TokenAnswer {
    const nowMs = this.#nowMs()
    grant.refreshToken = randomBytes(32).toString('hex')
    grant.accessToken = `eyJ${randomBytes(60).toString('base64url')}`
    grant.accessExpiresAt = nowMs + ACCESS_S * 1000
    this.#state.save()
    return {
      access_token: grant.accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_S,
      refresh_token: grant.refreshToken,
      scope: 'user:profile:read user:business:read user:journal_entries:read user:reports:read',
      created_at: Math.floor(nowMs / 1000),
      direct_buy_tokens: {},
    }
  }

  #grantOf(refreshToken: string): GrantState | undefined {
    return refreshToken === '' ? undefined : Object.values(this.#state.data.grants).find((grant) => grant.refreshToken === refreshToken)
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}
