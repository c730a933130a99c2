import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Credentials, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { peekJson, property, responseJson } from '../toolkit/http/answers.ts'
import { basicAuthorization, throwForStatus } from '../toolkit/http/status-failures.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { TokenAnswer } from './wire.ts'

const TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024
/** Wait after a 429: Fineract has no rate limit; proxies in front of it seldom send Retry-After. */
const WAIT_MS = 60_000
/** Assumed lifetime of a token without `expires_in`. Source: https://www.keycloak.org/docs/latest/server_admin/ */
const TOKEN_LIFE_SECONDS = 60

const OAuth = Type.Object({ tokenAddress: Type.String(), clientId: Type.String(), clientSecret: Type.String() })
const Secret = Type.Object({
  /** Base URL with `/fineract-provider/api/v1` or its replacement; no trailing slash. */
  address: Type.String(),
  tenant: Type.String(),
  clientId: Type.String(),
  user: Type.String(),
  password: Type.String(),
  /** Left out for Basic authentication. */
  oauth: Type.Optional(OAuth),
  token: Type.Optional(Type.String()),
})
export type FineractSecret = Static<typeof Secret>

export const readSecret = secretReader(Secret, 'Fineract')

/** GET with the login's credentials; the response may have any status. */
export function get(kit: Kit, secret: FineractSecret, path: string): Promise<HttpResponse> {
  const authorization = secret.token === undefined ? basicAuthorization(secret.user, secret.password) : `Bearer ${secret.token}`
  return kit.http({
    url: `${secret.address}/${path}`,
    headers: { accept: 'application/json', authorization, 'fineract-platform-tenantid': secret.tenant },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

/** GET of a resource that has to exist and to match this schema. */
export async function ask<S extends TSchema>(
  kit: Kit,
  secret: FineractSecret,
  path: string,
  shape: S,
  what: string,
): Promise<{ body: Uint8Array; answer: Static<S> }> {
  const response = await get(kit, secret, path)
  refuse(kit, response, what)
  return { body: response.body, answer: checkAnswer(shape, await responseJson(response, `Fineract ${what}`), what) }
}

export function refuse(kit: Kit, response: HttpResponse, what: string): void {
  throwForStatus(kit, response, { source: 'Fineract', what, code: errorCode(response), waitMs: WAIT_MS })
}

export function checkAnswer<S extends TSchema>(shape: S, answer: Json, what: string): Static<S> {
  if (!Check(shape, answer)) throw new SourceError('badData', `Fineract: ${what} has an unknown shape`)
  return answer
}

/** Error code such as `error.msg.client.id.invalid`, never its text. Empty when the response is not from Fineract. */
export function errorCode(response: HttpResponse): string {
  const code = property(peekJson(response), 'userMessageGlobalisationCode')
  return typeof code === 'string' && /^[a-z][\w.]{1,99}$/i.test(code) ? code : ''
}

/**
 * Token of the identity provider for the user and password (the password grant, as Fineract describes it); Basic needs
 * none.
 * Source: https://fineract.apache.org/docs/current/#_oauth
 */
export async function openSecret(kit: Kit, secret: FineractSecret): Promise<Credentials> {
  const { oauth } = secret
  if (!oauth) return { secret, expiresAt: null }
  const body = new URLSearchParams({ grant_type: 'password', client_id: oauth.clientId, username: secret.user, password: secret.password })
  if (oauth.clientSecret !== '') body.set('client_secret', oauth.clientSecret)
  const response = await kit.http({
    method: 'POST',
    url: oauth.tokenAddress,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  })
  // `invalid_grant` comes with 400.
  if (response.status === 400) throw new SourceError('reconnect', 'Fineract: the identity provider refused the user')
  throwForStatus(kit, response, { source: 'Fineract’s identity provider', what: 'the token', waitMs: WAIT_MS })
  const answer = checkAnswer(TokenAnswer, await responseJson(response, 'Fineract token'), 'the token')
  const livesMs = (answer.expires_in ?? TOKEN_LIFE_SECONDS) * 1000
  return {
    secret: { ...secret, token: answer.access_token },
    expiresAt: new Date(kit.now().getTime() + livesMs).toISOString(),
  }
}

/** Renews a token by a new login, since the password is stored anyway. */
export async function renewToken(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const secret = readSecret(credentials)
  if (!secret.oauth) throw new SourceError('reconnect', 'Fineract: the user and password are refused')
  return await openSecret(kit, secret)
}
