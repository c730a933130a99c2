import type { Faults } from '../faults.ts'
import { armedReply, type Call } from '../http/front.ts'
import { bearerToken } from '../http/request.ts'
import { DROPPED, htmlReply, jsonReply, type Reply } from '../http/response.ts'
import { type Authorization, authorize } from './authorize.ts'
import type { Client, ClientCheck } from './clients.ts'
import type { ConsentLogin } from './consent-page.ts'
import type { Grant, Grants } from './grants.ts'

/**
 * `invalidClient`, `revoked`, `lostRefresh`, `wrongEntity`, and those of the token endpoint; a source may lack some of
 * them.
 */
type OAuthFaults = Pick<Faults<string>, 'take'>
type TokenFault = 'tokenUnavailable' | 'tokenThrottled' | 'tokenHtml'

type TokenError = 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type'
type GrantType = 'authorization_code' | 'refresh_token'

/** A refused request; `grantType` is empty at the revocation endpoint. */
interface FailedCall {
  grantType: string
  fields: ReadonlyMap<string, string>
}

/** A token request of an authenticated client. */
export interface TokenCall {
  call: Call
  fields: ReadonlyMap<string, string>
  client: Client
}

export interface OAuthOptions<Login extends ConsentLogin> {
  paths: { authorize: RegExp; token: RegExp; revoke?: RegExp }
  authorization: Authorization<Login>
  checkClient: ClientCheck
  /** Replies of the token endpoint while a fault is armed; `tokenUnavailable` and `tokenHtml` have defaults. */
  down: Readonly<Partial<Record<TokenFault, Reply>>>
  /** Error reply of the token endpoint; defaults to the format of RFC 6749. */
  fail?(error: TokenError, about: FailedCall): Reply
  /** Source-specific refusal of an authenticated client's request; null if there is none. */
  refuse?(token: TokenCall): Reply | null
  /** Body of the token response; null if the grant is not valid here. */
  toAnswer(grant: Grant, grantType: GrantType, token: TokenCall): object | null
  /** Ends the user's authorization, as with the fault `revoked`; defaults to ending the grant alone. */
  withdraw?(grant: Grant): void
  /** Reply of the revocation endpoint; by default any token of the client ends its grant. */
  revoke?(token: string, client: Client | null, call: Call): Reply
  /** JSON reply with the source's own content type. */
  toReply?(status: number, body: object): Reply
  /** Whether the token and revocation endpoints also accept JSON. */
  acceptsJson?: boolean
}

/** OAuth 2 server of a simulator: authorization with a consent page, token and revocation endpoints. */
export class OAuthServer<Login extends ConsentLogin> {
  readonly #faults: OAuthFaults
  readonly #grants: Grants
  readonly #options: OAuthOptions<Login>

  constructor(faults: OAuthFaults, grants: Grants, options: OAuthOptions<Login>) {
    this.#faults = faults
    this.#grants = grants
    this.#options = options
  }

  /** Returns null if the call is for another endpoint. */
  answer(call: Call): Reply | null {
    const { paths, authorization } = this.#options
    const isWrong = () => this.#faults.take('wrongEntity')
    if (paths.authorize.test(call.path)) return authorize(call, authorization, this.#grants, isWrong)
    if (call.form === null) return null
    if (paths.token.test(call.path)) return this.#requestToken(call)
    return paths.revoke?.test(call.path) ? this.#revoke(call) : null
  }

  /**
   * The grant of a call's access token; null if it is unknown, expired or revoked. With the fault `revoked` armed, the
   * grant ends first.
   */
  openGrant(accessToken: string): Grant | null {
    const grant = this.#grants.findByAccess(accessToken)
    if (grant && this.#faults.take('revoked')) this.#withdraw(grant)
    return this.#grants.findByAccess(accessToken)
  }

  grantOf(call: Pick<Call, 'request'>): Grant | null {
    return this.openGrant(bearerToken(call.request))
  }

  #requestToken(call: Call): Reply {
    const down = armedReply(this.#faults, { ...this.#defaults(), ...this.#options.down })
    if (down) return down
    const fields = this.#fieldsOf(call)
    const client = this.#options.checkClient(call, fields)
    const grantType = fields.get('grant_type') ?? ''
    const about = { grantType, fields }
    if (client === null || this.#faults.take('invalidClient')) return this.#fail('invalid_client', about)
    const token = { call, fields, client }
    const refusal = this.#options.refuse?.(token)
    if (refusal) return refusal
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') return this.#fail('unsupported_grant_type', about)
    const isLost = grantType === 'refresh_token' && this.#losesRefresh(token)
    const grant = grantType === 'refresh_token' ? this.#refresh(token, isLost) : this.#exchange(token)
    if (grant && isLost) return DROPPED
    const answer = grant && this.#options.toAnswer(grant, grantType, token)
    return answer ? this.#reply(200, answer) : this.#fail('invalid_grant', about)
  }

  #defaults(): Partial<Record<TokenFault, Reply>> {
    const tokenUnavailable = this.#reply(503, { error: 'temporarily_unavailable' })
    return { tokenUnavailable, tokenHtml: htmlReply(200, '<html><body>Maintenance</body></html>') }
  }

  #exchange({ fields, client }: TokenCall): Grant | null {
    const [code = '', redirectUri = '', verifier = ''] = ['code', 'redirect_uri', 'code_verifier'].map((name) => fields.get(name))
    return this.#grants.exchangeCode(client, { code, redirectUri, verifier })
  }

  #losesRefresh({ fields, client }: TokenCall): boolean {
    const refreshToken = fields.get('refresh_token') ?? ''
    const known = this.#grants.findByRefresh(refreshToken)
    if (known && this.#faults.take('revoked')) this.#withdraw(known)
    return this.#grants.canRefresh(client.id, refreshToken) && this.#faults.take('lostRefresh')
  }

  #refresh({ fields, client }: TokenCall, isLost: boolean): Grant | null {
    return this.#grants.refresh(client.id, fields.get('refresh_token') ?? '', isLost)
  }

  #revoke(call: Call): Reply {
    const fields = this.#fieldsOf(call)
    const client = this.#options.checkClient(call, fields)
    const token = fields.get('token') ?? ''
    if (this.#options.revoke) return this.#options.revoke(token, client, call)
    if (client === null) return this.#fail('invalid_client', { grantType: '', fields })
    return endToken(this.#grants, client, token) ? this.#reply(200, {}) : this.#fail('invalid_grant', { grantType: '', fields })
  }

  #withdraw(grant: Grant): void {
    if (this.#options.withdraw) this.#options.withdraw(grant)
    else this.#grants.end(grant)
  }

  #fail(error: TokenError, about: FailedCall): Reply {
    return this.#options.fail?.(error, about) ?? this.#reply(error === 'invalid_client' ? 401 : 400, { error })
  }

  #reply(status: number, body: object): Reply {
    return this.#options.toReply?.(status, body) ?? jsonReply(status, body)
  }

  #fieldsOf({ body, form, headers }: Call): ReadonlyMap<string, string> {
    const isJson = this.#options.acceptsJson && (headers['content-type'] ?? '').includes('json')
    return isJson ? jsonFields(body) : new Map(form ?? [])
  }
}

/** Ends the client's grant that an access or refresh token belongs to; returns false if there is none. */
export function endToken(grants: Grants, client: Client, token: string): boolean {
  const grant = grants.findByRefresh(token) ?? grants.list().find(({ accessTokens }) => accessTokens.some((each) => each.token === token))
  if (!grant || grant.clientId !== client.id) return false
  grants.end(grant)
  return true
}

function jsonFields(body: string): ReadonlyMap<string, string> {
  try {
    const parsed: unknown = JSON.parse(body)
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
    return new Map(entries.map(([name, value]) => [name, String(value)]))
  } catch (error) {
    if (error instanceof SyntaxError) return new Map()
    throw error
  }
}
