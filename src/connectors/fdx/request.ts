import { randomUUID } from 'node:crypto'
import type { HttpResponse, Session } from '../contract/contract.ts'
import { identityOf } from './client-proof.ts'
import { toFdxError } from './errors.ts'
import type { Profile } from './profile.ts'
import { readSecret } from './secret.ts'

/** Maximum size of transaction lists with all fields. */
const MAX_BYTES = 30 * 1024 * 1024

/**
 * Reads one resource. Accepts 200, 204 (empty) and 206 (partial); any other status throws `FdxError`. Each call has an
 * id of its own, by which the bank finds it in its logs.
 * Source: https://openid.net/specs/openid-financial-api-part-1-1_0.html#client-provisions
 */
export async function getResource(
  { kit, credentials }: Pick<Session, 'kit' | 'credentials'>,
  profile: Profile,
  what: string,
  path: string,
  query: Record<string, string> = {},
): Promise<HttpResponse> {
  const { bearer, institutionId } = readSecret(credentials)
  const parameters = new URLSearchParams(query)
  const filled = path.replaceAll('{institution}', encodeURIComponent(institutionId ?? ''))
  const response = await kit.http({
    url: `${kit.hosts.api ?? ''}${filled}${parameters.size > 0 ? `?${parameters}` : ''}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${bearer}`,
      'x-fapi-interaction-id': randomUUID(),
      ...profile.headers,
    },
    maxBytes: MAX_BYTES,
    ...identityOf(kit, profile),
  })
  if ([200, 204, 206].includes(response.status)) return response
  throw toFdxError(response, what, kit.now())
}

export function forAccount(path: string, accountId: string): string {
  return path.replaceAll('{accountId}', encodeURIComponent(accountId))
}
