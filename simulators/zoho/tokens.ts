import { randomBytes } from 'node:crypto'
import type { CodeState, GrantState, SimulatorState } from './state.ts'

const ACCESS_S = 3600
const CODE_MS = 2 * 60_000
/** A person has this many refresh tokens for an app; one more ends the oldest. Source: https://www.zoho.com/books/api/v3/oauth/ */
const MOST_GRANTS = 20
/** This many access tokens are given for a refresh token within the window. */
const MOST_ACCESS = 10
const WINDOW_MS = 10 * 60_000

/** What a token request gave: `tooMany` access tokens were asked for, or the code or refresh token is not good. */
export type TokenOutcome = { grant: GrantState; accessToken: string; expiresIn: number } | 'refused' | 'tooMany'

/** Codes, access tokens and refresh tokens of the simulator. Every change is in the state before it is answered. */
export class Tokens {
  readonly #state: SimulatorState
  readonly #now: () => Date

  constructor(state: SimulatorState, now: () => Date) {
    this.#state = state
    this.#now = now
  }

  /** A code that can be exchanged once, within two minutes, by the same client for the same address. */
  issueCode(request: Omit<CodeState, 'expiresAt'>): string {
    const code = newToken()
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + CODE_MS }
    this.#state.save()
    return code
  }

  exchangeCode(clientId: string, code: string, redirectUri: string): TokenOutcome {
    const issued = this.#state.data.codes[code]
    if (!issued) return 'refused'
    delete this.#state.data.codes[code]
    const isTheirs = issued.clientId === clientId && issued.redirectUri === redirectUri
    if (!isTheirs || issued.expiresAt < this.#nowMs()) {
      this.#state.save()
      return 'refused'
    }
    const { login, scope, isOffline } = issued
    const id = randomBytes(8).toString('hex')
    const refreshToken = isOffline ? newToken() : ''
    const grant: GrantState = { id, clientId, login, scope, refreshToken, issuedAt: this.#nowMs(), accessTokens: [] }
    const isSame = (each: GrantState) => each.clientId === clientId && each.login === login
    const others = this.#state.data.grants.filter(isSame)
    if (others.length >= MOST_GRANTS) this.#end((each) => each === others[0])
    this.#state.data.grants.push(grant)
    return this.#answer(grant)
  }

  /** The refresh token stays as it is. */
  refresh(clientId: string, refreshToken: string): TokenOutcome {
    const grant = this.findByRefresh(refreshToken)
    return grant && grant.clientId === clientId ? this.#answer(grant) : 'refused'
  }

  findByRefresh(refreshToken: string): GrantState | null {
    return refreshToken === '' ? null : (this.#state.data.grants.find((each) => each.refreshToken === refreshToken) ?? null)
  }

  /** Null when the access token is unknown, expired or revoked. */
  findByAccess(accessToken: string): GrantState | null {
    const isLive = (each: GrantState) =>
      each.accessTokens.some(({ token, expiresAt }) => token === accessToken && expiresAt > this.#nowMs())
    return this.#state.data.grants.find(isLive) ?? null
  }

  /** Ends the grant of a refresh token; false when there is none. */
  revokeToken(refreshToken: string): boolean {
    const grant = this.findByRefresh(refreshToken)
    if (grant) this.endGrant(grant)
    return grant !== null
  }

  endGrant(grant: GrantState): void {
    this.#end((each) => each === grant)
  }

  /** What the person does under "Connected apps": every authorization ends. */
  endLogin(login: string): void {
    this.#end((each) => each.login === login)
  }

  #end(goes: (grant: GrantState) => boolean): void {
    this.#state.data.grants = this.#state.data.grants.filter((each) => !goes(each))
    this.#state.save()
  }

  #answer(grant: GrantState): TokenOutcome {
    const nowMs = this.#nowMs()
    const recent = grant.accessTokens.filter(({ issuedAt }) => issuedAt > nowMs - WINDOW_MS)
    if (recent.length >= MOST_ACCESS) return 'tooMany'
    const accessToken = newToken()
    const live = grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs)
    grant.accessTokens = [...live, { token: accessToken, issuedAt: nowMs, expiresAt: nowMs + ACCESS_S * 1000 }]
    this.#state.save()
    return { grant, accessToken, expiresIn: ACCESS_S }
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}

function newToken(): string {
  return `1000.${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`
}
