import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type Identity, ISSUER, subjectOf } from './identity.ts'
import type { CodeState, ConnectionState, GrantState, SimulatorState } from './state.ts'

const ACCESS_S = 1800
const REFRESH_MS = 60 * 86_400_000
/** A token that was replaced works this much longer. Source: https://developer.xero.com/faq/oauth2 */
const GRACE_MS = 30 * 60_000
const CODE_MS = 5 * 60_000

export interface TokenAnswer {
  access_token: string
  /** Seconds. */
  expires_in: number
  token_type: 'Bearer'
  refresh_token: string
  scope: string
  /** For whoever asked for `openid`, once. */
  id_token?: string
}

/** Codes, tokens and connections of the simulator. Every change is in the state before it is answered. */
export class Tokens {
  readonly #state: SimulatorState
  readonly #now: () => Date
  readonly #identity: Identity

  constructor(state: SimulatorState, now: () => Date, identity: Identity) {
    this.#state = state
    this.#now = now
    this.#identity = identity
  }

  /**
   * The person allows the app to open an organisation: a code that can be exchanged once, within five minutes, and the connection, which
   * keeps its id when there is one. Null: nothing is connected.
   */
  allow(request: Omit<CodeState, 'expiresAt' | 'authEventId'>, tenantId: string | null): string {
    const authEventId = randomUUID()
    const nowMs = this.#nowMs()
    if (tenantId !== null) this.#connect({ ...request, tenantId, authEventId }, nowMs)
    const code = randomBytes(32).toString('base64url')
    this.#state.data.codes[code] = { ...request, authEventId, expiresAt: nowMs + CODE_MS }
    this.#state.save()
    return code
  }

  /** Null: the code is unknown, used, expired, someone else's, or asked for by another verifier. */
  exchangeCode(request: { clientId: string; code: string; redirectUri: string; verifier: string }): TokenAnswer | null {
    const issued = this.#state.data.codes[request.code]
    if (!issued) return null
    delete this.#state.data.codes[request.code]
    const isProved = issued.challenge === '' || issued.challenge === createHash('sha256').update(request.verifier).digest('base64url')
    const isTheirs = issued.clientId === request.clientId && issued.redirectUri === request.redirectUri
    if (!isTheirs || !isProved || issued.expiresAt < this.#nowMs()) {
      this.#state.save()
      return null
    }
    const { clientId, login, scope, authEventId } = issued
    const id = randomBytes(8).toString('hex')
    const empty = { refreshToken: '', refreshExpiresAt: 0, formerToken: '', formerExpiresAt: 0, accessTokens: [] }
    const grant: GrantState = { id, clientId, login, scope, authEventId, ...empty }
    this.#state.data.grants[id] = grant
    this.#rotate(grant)
    const answer = this.#answer(grant)
    return scope.split(' ').includes('openid') ? { ...answer, id_token: this.#identity.toIdToken(grant, answer.access_token) } : answer
  }

  /** Null: the token is unknown, replaced half an hour ago, expired, revoked or someone else's. The former token gives the current one again. */
  refresh(clientId: string, refreshToken: string): TokenAnswer | null {
    const grant = this.findByRefresh(refreshToken)
    const nowMs = this.#nowMs()
    if (!grant || grant.clientId !== clientId) return null
    if (grant.refreshToken === refreshToken) {
      if (grant.refreshExpiresAt < nowMs) return null
      this.#rotate(grant)
    } else if (grant.formerExpiresAt < nowMs) return null
    return this.#answer(grant)
  }

  /** The grant of a current or former refresh token. */
  findByRefresh(refreshToken: string): GrantState | null {
    const has = (each: GrantState) => each.refreshToken === refreshToken || each.formerToken === refreshToken
    return refreshToken === '' ? null : (Object.values(this.#state.data.grants).find(has) ?? null)
  }

  /** Null when the access token is unknown, expired or revoked. */
  findByAccess(accessToken: string): GrantState | null {
    const isLive = (each: GrantState) =>
      each.accessTokens.some(({ token, expiresAt }) => token === accessToken && expiresAt > this.#nowMs())
    return Object.values(this.#state.data.grants).find(isLive) ?? null
  }

  /** What the person of a grant has connected to its app, oldest first. */
  listConnections(grant: GrantState): ConnectionState[] {
    return this.#state.data.connections.filter(({ clientId, login }) => clientId === grant.clientId && login === grant.login)
  }

  /** False when the person has no such connection. */
  removeConnection(grant: GrantState, id: string): boolean {
    const isIt = (each: ConnectionState) => each.id === id && each.clientId === grant.clientId && each.login === grant.login
    return this.#keepConnections((each) => !isIt(each))
  }

  /** What the owner does under "Connected apps": the organisation is taken from every app. */
  disconnectTenant(tenantId: string): void {
    this.#keepConnections((each) => each.tenantId !== tenantId)
  }

  /** Ends all that a person allowed an app, every organisation with it. */
  endLogin(grant: GrantState): void {
    for (const each of Object.values(this.#state.data.grants)) {
      if (each.login === grant.login && each.clientId === grant.clientId) delete this.#state.data.grants[each.id]
    }
    this.#keepConnections((each) => each.login !== grant.login || each.clientId !== grant.clientId)
  }

  endGrant(grant: GrantState): void {
    delete this.#state.data.grants[grant.id]
    this.#state.save()
  }

  #connect(request: { clientId: string; login: string; tenantId: string; authEventId: string }, nowMs: number): void {
    const { clientId, login, tenantId, authEventId } = request
    const known = this.#state.data.connections.find(
      (each) => each.clientId === clientId && each.login === login && each.tenantId === tenantId,
    )
    if (known) Object.assign(known, { authEventId, updatedAt: nowMs })
    else this.#state.data.connections.push({ id: randomUUID(), clientId, login, tenantId, authEventId, createdAt: nowMs, updatedAt: nowMs })
  }

  #keepConnections(stays: (connection: ConnectionState) => boolean): boolean {
    const before = this.#state.data.connections.length
    this.#state.data.connections = this.#state.data.connections.filter(stays)
    this.#state.save()
    return this.#state.data.connections.length < before
  }

  #rotate(grant: GrantState): void {
    const nowMs = this.#nowMs()
    grant.formerToken = grant.refreshToken
    grant.formerExpiresAt = nowMs + GRACE_MS
    grant.refreshToken = randomBytes(32).toString('base64url')
    grant.refreshExpiresAt = nowMs + REFRESH_MS
  }

  #answer(grant: GrantState): TokenAnswer {
    const nowMs = this.#nowMs()
    const token = toJwt(grant, nowMs)
    grant.accessTokens = [...grant.accessTokens.filter(({ expiresAt }) => expiresAt > nowMs), { token, expiresAt: nowMs + ACCESS_S * 1000 }]
    this.#state.save()
    return { access_token: token, expires_in: ACCESS_S, token_type: 'Bearer', refresh_token: grant.refreshToken, scope: grant.scope }
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}

/** The shape of Xero's access tokens; the signature is nobody's. */
function toJwt(grant: GrantState, nowMs: number): string {
  const nowS = Math.floor(nowMs / 1000)
  const claims = {
    nbf: nowS,
    exp: nowS + ACCESS_S,
    iss: ISSUER,
    aud: `${ISSUER}/resources`,
    client_id: grant.clientId,
    sub: subjectOf(grant.login),
    authentication_event_id: grant.authEventId,
    scope: grant.scope.split(' '),
    jti: randomBytes(16).toString('hex'),
  }
  const parts = [{ alg: 'RS256', kid: 'simulator', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return [...parts, randomBytes(64).toString('base64url')].join('.')
}
