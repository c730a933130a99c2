import type { CustomFetch } from 'openid-client'
import { isPlainAllowed } from '../../../egress/allowed-hosts.ts'
import type { Egress } from '../../../egress/egress.ts'
import { EgressError } from '../../../egress/egress-error.ts'

/** The way to identity providers. */
export interface ProviderNetwork {
  egress: Pick<Egress, 'request'>
  /** Sandbox: issuers may use http and private networks. */
  allowPrivate: boolean
}

/** Deadline of one call; a sign-in makes four. */
export const TIMEOUT_MS = 5_000
/** Entra ID's description and keys take some 20 kB; a user with 200 groups some 10 kB. */
const MAX_BYTES = 262_144
const NO_BODY = new Set([101, 204, 205, 304])

/** `fetch` over the product's egress: no redirects, no private networks, bounded in time and size. */
export function fetchBy({ egress, allowPrivate }: ProviderNetwork): CustomFetch {
  return async (url, { method, headers, body }) => {
    if (!(allowPrivate && isPlainAllowed()) && !url.startsWith('https://')) throw new EgressError('unreachable')
    const response = await egress.request({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    })
    if (response.truncated) throw new EgressError('tooLarge')
    return new Response(NO_BODY.has(response.status) ? null : Buffer.from(response.body), {
      status: response.status,
      headers: response.headers,
    })
  }
}
