import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { HttpFront } from '../kit/http/front.ts'
import { jsonReply, type Reply, textReply } from '../kit/http/response.ts'
import { findRefusal } from '../kit/oauth/authorize.ts'
import { basicPair, type ClientCheck, type Clients, knownClient } from '../kit/oauth/clients.ts'
import type { ConsentLogin } from '../kit/oauth/consent-page.ts'
import { type Grant, type GrantRules, Grants, newestTokens } from '../kit/oauth/grants.ts'
import { endToken, OAuthServer } from '../kit/oauth/server.ts'
import type { SimulatorState } from '../kit/simulator-state.ts'
import { PEOPLE, type Person } from './data/customers.ts'
import type { FaultName } from './faults.ts'

const ACCESS_S = 600

const REFUSALS = {
  client: 'client_id is required',
  address: 'redirect_uri did not match',
  type: 'response_type must be code',
  scope: 'scope openid is required',
  challenge: 'PKCE is required',
}
const SCOPES: readonly RegExp[] = [/^openid$/, /^profile$/, /^https:\/\/api\.banno\.com\/consumer\/auth\/[a-z._]+$/]

const WORDS = {
  en: {
    heading: 'Share your accounts',
    scope: 'It will see your name, your accounts and their balances and details of your transactions, also when you are away.',
  },
  fr: {
    heading: 'Partager vos comptes',
    scope: 'L’application verra votre nom, vos comptes et leurs soldes et le détail de vos opérations, aussi en votre absence.',
  },
}

/** OpenID provider of the bank. */
export class Identity {
  readonly grants: Grants
  readonly oauth: OAuthServer<ConsentLogin>
  readonly #faults: HttpFront<FaultName>['faults']
  readonly #now: () => Date
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor({ faults, now, baseUrl }: HttpFront<FaultName>, state: SimulatorState, clients: Clients, base: string) {
    this.#faults = faults
    this.#now = now
    this.grants = new Grants(state, now, this.#rules())
    const [first, ...others] = PEOPLE
    this.oauth = new OAuthServer(faults, this.grants, {
      paths: {
        authorize: new RegExp(`^${base}/oidc/auth$`),
        token: new RegExp(`^${base}/oidc/token$`),
        revoke: new RegExp(`^${base}/oidc/token/revocation$`),
      },
      authorization: {
        source: 'Garden Valley Bank',
        logins: [toLogin(first), ...others.map(toLogin)],
        words: WORDS,
        language: (query, acceptLanguage) => acceptLanguage ?? query.get('ui_locales') ?? undefined,
        refuse,
        notes: (query) => ({ nonce: query.get('nonce') ?? '' }),
      },
      checkClient: checkClient(clients),
      down: { tokenThrottled: textReply(429, 'Too Many Requests', { 'retry-after': '45' }) },
      toAnswer: (grant, type) => this.#toAnswer(grant, `${baseUrl()}${base}/oidc`, type === 'refresh_token'),
      revoke: (token, client) => {
        if (client === null) return jsonReply(401, { error: 'invalid_client' })
        endToken(this.grants, client, token)
        return jsonReply(200, {})
      },
    })
  }

  person(person: Person): Reply {
    const other = PEOPLE.find(({ key }) => key !== person.key)
    const { id, name, email } = this.#faults.take('wrongPerson') && other ? other : person
    return jsonReply(200, { sub: id, name, email })
  }

  certs(): Reply {
    return jsonReply(200, { keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'simulated', alg: 'ES256', use: 'sig' }] })
  }

  /** Access tokens expire after ten minutes, codes after one. */
  #rules(): GrantRules {
    return {
      codeS: 60,
      accessS: ACCESS_S,
      refreshS: () => 90 * 86_400,
      rotates: ({ notes }) => {
        const isKept = this.#faults.take('keepsRefreshToken')
        notes.kept = isKept ? 'yes' : ''
        return !isKept
      },
    }
  }

  #toAnswer(grant: Grant, issuer: string, isRefresh: boolean): object {
    const { accessToken, refreshToken } = newestTokens(grant)
    const body = { access_token: accessToken, expires_in: ACCESS_S, token_type: 'Bearer' }
    if (isRefresh && grant.notes.kept === 'yes') return body
    const { nonce = '' } = grant.notes
    const nowS = Math.floor(this.#now().getTime() / 1000)
    const claims = {
      iss: issuer,
      sub: PEOPLE.find(({ key }) => key === grant.login)?.id ?? '',
      aud: this.#faults.take('wrongAudience') ? 'another-app' : grant.clientId,
      iat: nowS,
      exp: nowS + 600,
      ...(isRefresh || nonce === '' ? {} : { nonce: this.#faults.take('wrongNonce') ? 'another' : nonce }),
    }
    return { ...body, refresh_token: refreshToken, id_token: toJwt(claims, this.#keys.privateKey) }
  }
}

function refuse(query: URLSearchParams): string | null {
  const scopes = (query.get('scope') ?? '').split(' ')
  const refusal = findRefusal(query, REFUSALS, () => scopes.includes('openid'))
  if (refusal !== null) return refusal
  if (!scopes.every((scope) => SCOPES.some((known) => known.test(scope)))) return 'requested scope is not allowed'
  return query.get('code_challenge') ? null : REFUSALS.challenge
}

/** HTTP Basic with both parts URL-encoded. */
function checkClient(clients: Clients): ClientCheck {
  return ({ headers }) => {
    const [id = '', secret = ''] = basicPair(headers.authorization)?.map(decodeURIComponent) ?? []
    return knownClient(clients, id, secret)
  }
}

function toLogin({ key, name, email }: Person): ConsentLogin {
  return { key, person: name, email }
}

function toJwt(claims: object, key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'ES256', kid: 'simulated', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
