import type { Json } from '../../model/values/json.ts'
import { type HttpRequest, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson, retryAfterMs } from '../toolkit/http/answers.ts'
import { wordOf } from '../toolkit/oauth/token-requests.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { SecretWire } from './wire.ts'

/** Wait after a 429: Banno does not publish one. */
const THROTTLE_WAIT_MS = 60_000

/** Base path of the Consumer API. Source: https://jackhenry.dev/open-api-docs/consumer-api/getting-started/ */
export const BASE = '/a/consumer/api/v0'

export const secretOf = secretReader(SecretWire, 'Banno')

/** Calls the Consumer API; `path` is relative to its base. Any response other than 200 throws. */
export async function call(
  kit: Kit,
  accessToken: string,
  path: string,
  what: string,
  options: Pick<HttpRequest, 'method' | 'maxBytes'> = {},
): Promise<HttpResponse> {
  const response = await kit.http({
    url: `${kit.hosts.bank}${BASE}${path}`,
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
    ...options,
  })
  if (response.status !== 200) throw toSourceError(response, what, kit.now())
  return response
}

export async function callJson(kit: Kit, accessToken: string, path: string, what: string, method: 'GET' | 'PUT' = 'GET'): Promise<Json> {
  return await responseJson(await call(kit, accessToken, path, what, { method }), what)
}

/** Error with status and short code only: sentences of the bank can quote names and numbers. */
export function toSourceError(response: HttpResponse, what: string, now: Date): SourceError {
  const code = wordOf(response)
  const message = `Banno answered ${response.status} to ${what}${code === '' ? '' : ` (${code})`}`
  if (response.status === 429) {
    return new SourceError('rateLimited', message, { retryAfterMs: retryAfterMs(response.headers, now, THROTTLE_WAIT_MS) })
  }
  if (response.status >= 500 || response.status === 408) return new SourceError('unavailable', message)
  if (response.status === 401 || response.status === 403) return new SourceError('reconnect', message)
  return new SourceError('badData', message)
}
