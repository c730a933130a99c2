import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { isWebAddress, withQuery } from '../kit/http/request.ts'
import { jsonReply, pageReply, type Reply, redirectReply, textReply } from '../kit/http/response.ts'
import type { Grants } from '../kit/oauth/grants.ts'
import type { Grant } from '../kit/oauth/state.ts'
import type { FaultName } from './faults.ts'
import { consentPage, refusalPage } from './pages.ts'
import { PEOPLE, type Person } from './people.ts'

/** Access tokens live ten minutes; codes one, and only in the process that gave them. */
export const LIFETIMES = { accessS: 600, refreshS: 90 * 86_400, codeS: 60 }

const SCOPES: readonly RegExp[] = [/^openid$/, /^profile$/, /^https:\/\/api\.banno\.com\/consumer\/auth\/[a-z._]+$/]

/** The bank's OpenID provider. */
export class Identity {
  readonly #grants: Grants
  readonly #faults: Faults<FaultName>
  readonly #clients: Readonly<Record<string, string>> | undefined
  readonly #now: () => Date
  /** By code. */
  readonly #nonces = new Map<string, string>()
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(parts: {
    grants: Grants
    faults: Faults<FaultName>
    clients: Readonly<Record<string, string>> | undefined
    now: () => Date
  }) {
    this.#grants = parts.grants
    this.#faults = parts.faults
    this.#clients = parts.clients
    this.#now = parts.now
  }

  authorize(request: IncomingMessage, query: URLSearchParams, form: URLSearchParams | null): Reply {
    const language = request.headers['accept-language'] ?? query.get('ui_locales') ?? undefined
    const refusal = findRefusal(query)
    if (refusal !== null) return pageReply(400, refusalPage(language, refusal))
    const person = PEOPLE.find(({ key }) => key === query.get('login')) ?? PEOPLE[0]
    if (!person) throw new Error('nobody signs in here')
    const others = PEOPLE.filter((other) => other !== person)
    if (form === null) return pageReply(200, consentPage(language, person, others, query))
    const redirectUri = query.get('redirect_uri') ?? ''
    const state = query.get('state') ?? ''
    if (form.get('decision') !== 'allow') return redirectReply(withQuery(redirectUri, { error: 'access_denied', state }))
    const clientId = query.get('client_id') ?? ''
    const challenge = query.get('code_challenge') ?? ''
    const code = this.#grants.issueCode({ clientId, redirectUri, login: person.key, businessId: null, challenge })
    this.#nonces.set(code, query.get('nonce') ?? '')
    return redirectReply(withQuery(redirectUri, { code, state }))
  }

  /** Null: the connection is to be dropped without an answer. */
  token(request: IncomingMessage, form: URLSearchParams, issuer: string): Reply | null {
    const faults = this.#faults
    if (faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
    if (faults.take('tokenThrottled')) return textReply(429, 'Too Many Requests', { 'retry-after': '45' })
    const clientId = this.#client(request)
    if (clientId === null || faults.take('invalidClient')) return jsonReply(401, { error: 'invalid_client' })
    if (form.get('grant_type') === 'authorization_code') {
      const code = form.get('code') ?? ''
      const nonce = this.#nonces.get(code)
      this.#nonces.delete(code)
      const verifier = form.get('code_verifier') ?? ''
      const grant = this.#grants.exchangeCode({ clientId, code, redirectUri: form.get('redirect_uri') ?? '', verifier })
      return grant && nonce !== undefined ? this.#answer(grant, issuer, nonce) : jsonReply(400, { error: 'invalid_grant' })
    }
    if (form.get('grant_type') !== 'refresh_token') return jsonReply(400, { error: 'unsupported_grant_type' })
    const known = this.#grants.findByRefresh(form.get('refresh_token') ?? '')
    if (known && faults.take('revoked')) this.#grants.end(known)
    const before = known?.refreshToken
    const grant = this.#grants.refresh(clientId, form.get('refresh_token') ?? '')
    if (!grant) return jsonReply(400, { error: 'invalid_grant' })
    if (faults.take('lostRefresh')) return null
    if (!faults.take('keepsRefreshToken')) return this.#answer(grant, issuer, '')
    grant.refreshToken = before ?? ''
    const { access_token, expires_in, token_type } = this.#body(grant)
    return jsonReply(200, { access_token, expires_in, token_type })
  }

  revoke(request: IncomingMessage, form: URLSearchParams): Reply {
    const clientId = this.#client(request)
    if (clientId === null) return jsonReply(401, { error: 'invalid_client' })
    this.#grants.revokeToken(clientId, form.get('token') ?? '')
    return jsonReply(200, {})
  }

  person(person: Person): Reply {
    const other = PEOPLE.find(({ key }) => key !== person.key)
    const { id, name, email } = this.#faults.take('wrongPerson') && other ? other : person
    return jsonReply(200, { sub: id, name, email })
  }

  certs(): Reply {
    return jsonReply(200, { keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'simulated', alg: 'ES256', use: 'sig' }] })
  }

  #answer(grant: Grant, issuer: string, nonce: string): Reply {
    const subject = PEOPLE.find(({ key }) => key === grant.login)?.id ?? ''
    const nowS = Math.floor(this.#now().getTime() / 1000)
    const claims = {
      iss: issuer,
      sub: subject,
      aud: this.#faults.take('wrongAudience') ? 'another-app' : grant.clientId,
      iat: nowS,
      exp: nowS + 600,
      ...(nonce === '' ? {} : { nonce: this.#faults.take('wrongNonce') ? 'another' : nonce }),
    }
    return jsonReply(200, { ...this.#body(grant), id_token: toJwt(claims, this.#keys.privateKey) })
  }

  #body({ accessToken, refreshToken }: Grant) {
    return { access_token: accessToken, refresh_token: refreshToken, expires_in: LIFETIMES.accessS, token_type: 'Bearer' }
  }

  #client(request: IncomingMessage): string | null {
    const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const [clientId = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeURIComponent)
    if (clientId === '' || secret === '') return null
    return this.#clients === undefined || this.#clients[clientId] === secret ? clientId : null
  }
}

function findRefusal(query: URLSearchParams): string | null {
  if (!query.get('client_id')) return 'client_id is required'
  if (!isWebAddress(query.get('redirect_uri') ?? '')) return 'redirect_uri did not match'
  if (query.get('response_type') !== 'code') return 'response_type must be code'
  const scopes = (query.get('scope') ?? '').split(' ')
  if (!scopes.includes('openid')) return 'scope openid is required'
  if (!scopes.every((scope) => SCOPES.some((known) => known.test(scope)))) return 'requested scope is not allowed'
  if (query.get('code_challenge_method') !== 'S256' || !query.get('code_challenge')) return 'PKCE is required'
  return null
}

function toJwt(claims: object, key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'ES256', kid: 'simulated', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
