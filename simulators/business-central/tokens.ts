import { createHash, randomBytes } from 'node:crypto'
import type { CodeState, GrantState, SimulatorState } from './state.ts'

/** Entra draws it between 60 and 90 minutes. */
const ACCESS_S = 4_500
/** Rolling. Source: https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens */
const REFRESH_MS = 90 * 86_400_000
const CODE_MS = 10 * 60_000
/** So many refresh tokens of one authorization are remembered. */
const MOST_REFRESH_TOKENS = 20

export interface TokenAnswer {
  token_type: 'Bearer'
  scope: string
  /** Seconds, as both. */
  expires_in: number
  ext_expires_in: number
  access_token: string
  refresh_token: string
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
  issueCode(request: Omit<CodeState, 'expiresAt'>): string {
    const code = `1.AX${randomBytes(24).toString('base64url')}`
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + CODE_MS }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired, someone else's, or its verifier is wrong. */
  exchangeCode(clientId: string, code: string, redirectUri: string, verifier: string): TokenAnswer | null {
    const issued = this.#state.data.codes[code]
    if (!issued) return null
    delete this.#state.data.codes[code]
    const isIts = issued.clientId === clientId && issued.redirectUri === redirectUri && issued.expiresAt >= this.#nowMs()
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (!isIts || (issued.challenge !== null && issued.challenge !== challenge)) {
      this.#state.save()
      return null
    }
    const grant: GrantState = { id: randomBytes(8).toString('hex'), clientId, login: issued.login, refreshTokens: [], accessTokens: [] }
    this.#state.data.grants[grant.id] = grant
    return this.#answer(grant)
  }

  /** Null: the token is unknown, expired, revoked or someone else's. The token itself lives on. */
  refresh(clientId: string, refreshToken: string): TokenAnswer | null {
    const grant = this.#grantOf(refreshToken)
    const found = grant?.refreshTokens.find(({ token }) => token === refreshToken)
    if (!grant || !found || found.expiresAt < this.#nowMs() || grant.clientId !== clientId) return null
    return this.#answer(grant)
  }

  /** Key of the sign-in that an access token belongs to; null when it is unknown, expired or revoked. */
  loginOf(accessToken: string): string | null {
    const grant = this.#grantOf(accessToken)
    const found = grant?.accessTokens.find(({ token }) => token === accessToken)
    return grant && found && found.expiresAt > this.#nowMs() ? grant.login : null
  }

  loginOfRefresh(refreshToken: string): string | null {
    return this.#grantOf(refreshToken)?.login ?? null
  }

  /** What an administrator does in Entra: all authorizations of a person end. */
  revokeLogin(login: string): void {
    for (const grant of Object.values(this.#state.data.grants)) {
      if (grant.login === login) delete this.#state.data.grants[grant.id]
    }
    this.#state.save()
  }

  #answer(grant: GrantState): TokenAnswer {
    const nowMs = this.#nowMs()
    const accessToken = `eyJ${grant.id}.${randomBytes(32).toString('base64url')}`
    const refreshToken = `1.AR${grant.id}.${randomBytes(40).toString('base64url')}`
    const accessTokens = grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs)
    grant.accessTokens = [...accessTokens, { token: accessToken, expiresAt: nowMs + ACCESS_S * 1000 }]
    const refreshTokens = [...grant.refreshTokens, { token: refreshToken, expiresAt: nowMs + REFRESH_MS }]
    grant.refreshTokens = refreshTokens.slice(-MOST_REFRESH_TOKENS)
    this.#state.save()
    return {
      token_type: 'Bearer',
      scope: 'https://api.businesscentral.dynamics.com/Financials.ReadWrite.All',
      expires_in: ACCESS_S,
      ext_expires_in: ACCESS_S,
      access_token: accessToken,
      refresh_token: refreshToken,
    }
  }

  #grantOf(token: string): GrantState | undefined {
    const id = /^(?:eyJ|1\.AR)([0-9a-f]{16})\./.exec(token)?.[1]
    return id === undefined ? undefined : this.#state.data.grants[id]
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}
