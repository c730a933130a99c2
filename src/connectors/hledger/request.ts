import { type Static, Type } from 'typebox'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from '../toolkit/http/answers.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'

const WAIT_MS = 60_000
const REQUEST_TIMEOUT_MS = 120_000
/** Maximum response size: the journal is in one response, about 2.5 KB a posting pair. */
const MAX_BYTES = 200 * 1024 * 1024

const Secret = Type.Object({
  address: Type.String(),
  /** User and password for HTTP Basic of a proxy, since the server has none of its own; empty without one. */
  user: Type.String(),
  password: Type.String(),
  /**
   * Currency of `$` in the journal, as an ISO 4217 code; empty, and absent in older connections, when the owner named
   * none.
   */
  dollar: Type.Optional(Type.String()),
})
export type HledgerSecret = Static<typeof Secret>

export type HledgerPath = 'version' | 'accountnames' | 'accounts' | 'transactions'

export const readSecret = secretReader(Secret, 'hledger-web')

/** GET; the response may have any status. Source: https://hledger.org/1.25/hledger-web.html#json-api */
export function ask(kit: Kit, { address, user, password }: HledgerSecret, path: HledgerPath): Promise<HttpResponse> {
  const token = Buffer.from(`${user}:${password}`, 'utf8').toString('base64')
  const authorization: Record<string, string> = user === '' && password === '' ? {} : { authorization: `Basic ${token}` }
  return kit.http({
    url: `${address}/${path}`,
    headers: { accept: 'application/json', ...authorization },
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

/** Body of a successful response; any other throws. */
export async function fetchBody(kit: Kit, secret: HledgerSecret, path: HledgerPath): Promise<Uint8Array> {
  const response = await ask(kit, secret, path)
  const { status } = response
  if (status === 200) return response.body
  if (status === 401 || status === 403) throw new SourceError('reconnect', `hledger-web refused ${path} (${status})`)
  if (status === 429) {
    const waitMs = retryAfterMs(response.headers, kit.now(), WAIT_MS)
    throw new SourceError('rateLimited', `hledger-web asks to wait before ${path}`, { retryAfterMs: waitMs })
  }
  if (status >= 500) throw new SourceError('unavailable', `hledger-web could not answer ${path} (${status})`)
  throw new SourceError('badData', `hledger-web answered ${path} with ${status}`)
}
