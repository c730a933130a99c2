import { createHash, randomBytes } from 'node:crypto'
import type { Code, Grant, SimulatorState } from './state.ts'

export interface Lifetimes {
  accessS: number
  /** Each refresh starts it anew. */
  refreshS: number
  codeS: number
}

/** Codes, access tokens and refresh tokens of a simulator. Every change is in the state before it is answered. */
export class Grants {
  readonly #state: SimulatorState
  readonly #now: () => Date
  readonly #lifetimes: Lifetimes

  constructor(state: SimulatorState, now: () => Date, lifetimes: Lifetimes) {
    this.#state = state
    this.#now = now
    this.#lifetimes = lifetimes
  }

  /** A code that can be exchanged once, by the same client for the same address. */
  issueCode(request: Omit<Code, 'expiresAt'>): string {
    const code = randomBytes(24).toString('base64url')
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + this.#lifetimes.codeS * 1000 }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired, someone else's, or asked for by another verifier. */
  exchangeCode(request: { clientId: string; code: string; redirectUri: string; verifier: string }): Grant | null {
    const issued = this.#state.data.codes[request.code]
    if (!issued) return null
    delete this.#state.data.codes[request.code]
    const isProved = issued.challenge === '' || issued.challenge === createHash('sha256').update(request.verifier).digest('base64url')
    const isTheirs = issued.clientId === request.clientId && issued.redirectUri === request.redirectUri
    if (!isTheirs || !isProved || issued.expiresAt < this.#nowMs()) {
      this.#state.save()
      return null
    }
    const { clientId, login, businessId } = issued
    const id = randomBytes(8).toString('hex')
    const grant = { id, clientId, login, businessId, refreshToken: '', refreshExpiresAt: 0, accessToken: '', accessExpiresAt: 0 }
    this.#state.data.grants[id] = grant
    return this.#renew(grant)
  }

  /** A new pair; the tokens of before are dead from then on. Null: the token is unknown, used, expired, revoked or someone else's. */
  refresh(clientId: string, refreshToken: string): Grant | null {
    const grant = this.findByRefresh(refreshToken)
    return grant && grant.clientId === clientId && grant.refreshExpiresAt >= this.#nowMs() ? this.#renew(grant) : null
  }

  /** Null when the access token is unknown, expired or revoked. */
  findByAccess(accessToken: string): Grant | null {
    const grant = this.#find((each) => each.accessToken === accessToken)
    return grant && grant.accessExpiresAt > this.#nowMs() ? grant : null
  }

  findByRefresh(refreshToken: string): Grant | null {
    return this.#find((each) => each.refreshToken === refreshToken)
  }

  /** Ends the grant that an access or refresh token belongs to; false when there is none. */
  revokeToken(clientId: string, token: string): boolean {
    const grant = this.#find((each) => each.clientId === clientId && (each.refreshToken === token || each.accessToken === token))
    if (grant) this.end(grant)
    return grant !== null
  }

  end(grant: Grant): void {
    delete this.#state.data.grants[grant.id]
    this.#state.save()
  }

  /** What the person does in the source's own settings: every authorization ends. */
  endLogin(login: string): void {
    for (const grant of Object.values(this.#state.data.grants)) if (grant.login === login) this.end(grant)
  }

  #renew(grant: Grant): Grant {
    const nowMs = this.#nowMs()
    grant.refreshToken = `r${randomBytes(32).toString('base64url')}`
    grant.refreshExpiresAt = nowMs + this.#lifetimes.refreshS * 1000
    grant.accessToken = `a${randomBytes(32).toString('base64url')}`
    grant.accessExpiresAt = nowMs + this.#lifetimes.accessS * 1000
    this.#state.save()
    return grant
  }

  #find(fits: (grant: Grant) => boolean): Grant | null {
    return Object.values(this.#state.data.grants).find(fits) ?? null
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}
