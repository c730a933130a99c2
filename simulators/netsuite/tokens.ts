import { createHash, randomBytes } from 'node:crypto'
import { accountOfRole } from './companies.ts'
import type { CodeState, GrantState, SimulatorState } from './state.ts'

const ACCESS_S = 3_600
const CODE_MS = 10 * 60_000
/** Of a client with a secret; never renewed. */
const REFRESH_MS = 7 * 86_400_000

export interface TokenAnswer {
  access_token: string
  /** Missing in a refresh of a client with a secret, which keeps its own. */
  refresh_token?: string
  /** Seconds, as text. */
  expires_in: string
  token_type: 'bearer'
}

/** What an integration record says of public clients: one refresh token lives so long, and a chain of them so long. */
export interface PublicClientLimits {
  refreshHours: number
  chainHours: number
}

/** Codes, access tokens and refresh tokens of the simulator. Every change is in the state before it is answered. */
export class Tokens {
  readonly #state: SimulatorState
  readonly #now: () => Date
  readonly #limits: PublicClientLimits

  constructor(state: SimulatorState, now: () => Date, limits: PublicClientLimits) {
    this.#state = state
    this.#now = now
    this.#limits = limits
  }

  /** A code that can be exchanged once, within ten minutes, by the same client for the same address. */
  issueCode(request: Omit<CodeState, 'expiresAt'>): string {
    const code = randomBytes(32).toString('hex')
    this.#state.data.codes[code] = { ...request, expiresAt: this.#nowMs() + CODE_MS }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired, someone else's, or its verifier is wrong. A public client must have sent a challenge. */
  exchangeCode(clientId: string, isPublic: boolean, code: string, redirectUri: string, verifier: string): TokenAnswer | null {
    const issued = this.#state.data.codes[code]
    if (!issued) return null
    delete this.#state.data.codes[code]
    const nowMs = this.#nowMs()
    const isIts = issued.clientId === clientId && issued.redirectUri === redirectUri && issued.expiresAt >= nowMs
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const isProven = issued.challenge === null ? !isPublic : issued.challenge === challenge
    if (!isIts || !isProven) {
      this.#state.save()
      return null
    }
    const id = randomBytes(8).toString('hex')
    const grant: GrantState = {
      id,
      clientId,
      role: issued.role,
      isPublic,
      refreshToken: newToken(id, issued.role, clientId, 'r', nowMs),
      refreshExpiresAt: nowMs + (isPublic ? this.#limits.refreshHours * 3_600_000 : REFRESH_MS),
      chainEndsAt: nowMs + (isPublic ? this.#limits.chainHours * 3_600_000 : REFRESH_MS),
      accessTokens: [],
    }
    this.#state.data.grants[id] = grant
    return { ...this.#answer(grant), refresh_token: grant.refreshToken }
  }

  /** Null: the token is unknown, rotated away, expired, revoked or someone else's. */
  refresh(clientId: string, refreshToken: string): TokenAnswer | null {
    const grant = this.#grantOf(refreshToken)
    const nowMs = this.#nowMs()
    if (!grant || grant.refreshToken !== refreshToken || grant.clientId !== clientId) return null
    if (Math.min(grant.refreshExpiresAt, grant.chainEndsAt) < nowMs) return null
    if (!grant.isPublic) return this.#answer(grant)
    grant.refreshToken = newToken(grant.id, grant.role, clientId, 'r', nowMs)
    grant.refreshExpiresAt = nowMs + this.#limits.refreshHours * 3_600_000
    return { ...this.#answer(grant), refresh_token: grant.refreshToken }
  }

  /** The role that an access token opens; null when it is unknown, expired or revoked. */
  roleOf(accessToken: string): string | null {
    const grant = this.#grantOf(accessToken)
    const found = grant?.accessTokens.find(({ token }) => token === accessToken)
    return grant && found && found.expiresAt > this.#nowMs() ? grant.role : null
  }

  roleOfRefresh(refreshToken: string): string | null {
    return this.#grantOf(refreshToken)?.role ?? null
  }

  /** Ends the authorization that a refresh token belongs to; false when there is none. */
  revokeToken(clientId: string, token: string): boolean {
    const grant = this.#grantOf(token)
    if (!grant || grant.refreshToken !== token || grant.clientId !== clientId) return false
    delete this.#state.data.grants[grant.id]
    this.#state.save()
    return true
  }

  /** What an administrator does under "OAuth 2.0 Authorized Applications": all authorizations of a NetSuite account end. */
  revokeAccount(accountId: string): void {
    for (const grant of Object.values(this.#state.data.grants)) {
      if (accountOfRole(grant.role) === accountId) delete this.#state.data.grants[grant.id]
    }
    this.#state.save()
  }

  #answer(grant: GrantState): TokenAnswer {
    const nowMs = this.#nowMs()
    const token = newToken(grant.id, grant.role, grant.clientId, 'a', nowMs)
    grant.accessTokens = [...grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs), { token, expiresAt: nowMs + ACCESS_S * 1000 }]
    this.#state.save()
    return { access_token: token, expires_in: String(ACCESS_S), token_type: 'bearer' }
  }

  #grantOf(token: string): GrantState | undefined {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    const id = /"jti":"([0-9a-f]{16})\.[ar]\./.exec(payload)?.[1]
    return id === undefined ? undefined : this.#state.data.grants[id]
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}

/** In the shape of NetSuite's tokens: `aud` holds the application with the account, and the client. The signature is none. */
function newToken(grantId: string, role: string, clientId: string, kind: 'a' | 'r', nowMs: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const payload = {
    sub: '1017;42',
    aud: [`1A111AA1-AA11-1A11-1111-A1A1111111A1;${accountOfRole(role)}`, clientId],
    scope: ['rest_webservices'],
    iss: 'https://system.netsuite.com',
    iat: Math.floor(nowMs / 1000),
    jti: `${grantId}.${kind}.${randomBytes(12).toString('hex')}`,
  }
  return `${encode({ kid: 's.SYSTEM.2026_1', typ: 'JWT', alg: 'PS256' })}.${encode(payload)}.${randomBytes(32).toString('base64url')}`
}
