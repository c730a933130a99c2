import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type Credentials, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'

/** A session lasts 30 days unless the server's operator has configured less; a daily sync opens its own. */
const SESSION_HOURS = 12
/** Wait after a block: Tryton does not send its length; it counts failed logins of the last five minutes. */
const BLOCKED_MS = 5 * 60_000
const REQUEST_TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024

const Secret = Type.Object({
  /** No trailing slash. */
  address: Type.String(),
  database: Type.String(),
  user: Type.String(),
  password: Type.String(),
  companyId: Type.Integer(),
  session: Type.Union([Type.Null(), Type.Object({ userId: Type.Integer(), key: Type.String() })]),
})
export type TrytonSecret = Static<typeof Secret>
export type TrytonSession = NonNullable<TrytonSecret['session']>
export type TrytonLogin = Pick<TrytonSecret, 'address' | 'database' | 'user' | 'password'>

export const readSecret = secretReader(Secret, 'Tryton')

export function toCredentials(kit: Kit, secret: TrytonSecret): Credentials {
  const expiresAt = new Date(kit.now().getTime() + SESSION_HOURS * 3_600_000).toISOString()
  return { secret, expiresAt: secret.session === null ? null : expiresAt }
}

export function logIn(kit: Kit, { address, database, user, password }: TrytonLogin): Promise<HttpResponse> {
  return post(kit, databaseUrl(address, database), 'common.db.login', [user, { password }])
}

/** Closes a session; whether the server still knew it makes no difference. */
export async function logOut(kit: Kit, login: TrytonLogin, session: TrytonSession): Promise<void> {
  await post(kit, databaseUrl(login.address, login.database), 'common.db.logout', [], sessionHeader(login.user, session))
}

export function askVersion(kit: Kit, address: string): Promise<HttpResponse> {
  return post(kit, `${address}/`, 'common.server.version', [])
}

/** Session from the response of a login; throws as `readResult`. */
export async function readSession(kit: Kit, response: HttpResponse): Promise<TrytonSession> {
  const result = await readResult(kit, response, 'login')
  const [userId, key] = Array.isArray(result) ? result : []
  if (typeof userId !== 'number' || typeof key !== 'string') throw new SourceError('badData', 'Tryton: the login gave no session')
  return { userId, key }
}

/** Calls of one fetch. A session that has ended is replaced once, for this fetch only. */
export interface TrytonCalls {
  /** Response as received, already verified to hold a result. */
  fetch(method: string, params: Json[]): Promise<{ body: Uint8Array; result: Json }>
  close(): Promise<void>
}

export function openCalls(kit: Kit, secret: TrytonSecret): TrytonCalls {
  const url = databaseUrl(secret.address, secret.database)
  let session = secret.session
  let isOwn = false
  const openSession = async () => {
    isOwn = true
    return await readSession(kit, await logIn(kit, secret))
  }
  return {
    async fetch(method, params) {
      session ??= await openSession()
      let response = await post(kit, url, method, params, sessionHeader(secret.user, session))
      if (response.status === 401 && !isOwn) {
        session = await openSession()
        response = await post(kit, url, method, params, sessionHeader(secret.user, session))
      }
      return { body: response.body, result: await readResult(kit, response, method) }
    },
    async close() {
      if (isOwn && session !== null) await logOut(kit, secret, session)
    },
  }
}

/** `result` of a response. Every other outcome throws a `SourceError`; no text of the server is part of its message. */
async function readResult(kit: Kit, response: HttpResponse, what: string): Promise<Json> {
  const { status } = response
  if (status === 401 || status === 403) throw new SourceError('reconnect', `Tryton refused ${what} (${status})`)
  if (status === 429) throw toRateLimited(kit, response, what)
  // A temporarily unavailable database responds with 404.
  if (status === 404 || status >= 500) throw new SourceError('unavailable', `Tryton could not answer ${what} (${status})`)
  if (status !== 200) throw new SourceError('badData', `Tryton answered ${what} with ${status}`)
  const answer = await responseJson(response, `Tryton ${what}`)
  const faultName = readFaultName(answer)
  if (faultName !== null) throw toSourceError(kit, response, what, faultName)
  if (!isJsonObject(answer) || answer.result === undefined)
    throw new SourceError('badData', `Tryton ${what}: neither a result nor an error`)
  return answer.result
}

/** The name of a JSON-RPC error (`UserError`, `LoginException`, … or the text of an internal one), or null. */
export function readFaultName(answer: Json): string | null {
  if (!isJsonObject(answer) || !Array.isArray(answer.error)) return null
  return String(answer.error[0])
}

/** Source: trytond/exceptions.py; an internal error has status 200 and its own text, and is treated as a 500. */
function toSourceError(kit: Kit, response: HttpResponse, what: string, faultName: string): SourceError {
  if (faultName === 'RateLimitException') return toRateLimited(kit, response, what)
  if (faultName === 'UserError' || faultName === 'UserWarning' || faultName === 'LoginException') {
    return new SourceError('reconnect', `Tryton refused ${what} (${faultName})`)
  }
  return new SourceError('unavailable', `Tryton failed at ${what} with an internal error`)
}

function toRateLimited(kit: Kit, response: HttpResponse, what: string): SourceError {
  const waitMs = retryAfterMs(response.headers, kit.now(), BLOCKED_MS)
  return new SourceError('rateLimited', `Tryton asks to wait before ${what}`, { retryAfterMs: waitMs })
}

function post(kit: Kit, url: string, method: string, params: Json[], headers: Record<string, string> = {}): Promise<HttpResponse> {
  return kit.http({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify({ id: 1, method, params }),
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

function databaseUrl(address: string, database: string): string {
  return `${address}/${encodeURIComponent(database)}/`
}

/** The server checks only user id and key; the name is for its log, and a colon in it would break the header. */
function sessionHeader(user: string, session: TrytonSession): Record<string, string> {
  const text = `${encodeURIComponent(user)}:${session.userId}:${session.key}`
  return { authorization: `Session ${Buffer.from(text, 'utf8').toString('base64')}` }
}
