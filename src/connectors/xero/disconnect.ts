import { type Credentials, type Kit, SourceError } from '../contract/contract.ts'
import { refreshCredentials, revoke } from './authorization.ts'
import { toSourceError } from './errors.ts'
import { callConnections, listConnections, secretOf } from './request.ts'

/**
 * Disconnects this one organisation from the app. The tokens belong to the person and cover every organisation that the
 * person connected, so they are revoked only when none is left. A connection already ended is no failure.
 * Source: https://developer.xero.com/documentation/guides/oauth2/tenants/
 */
export async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const { connectionId, accessToken } = secretOf(credentials)
  const path = `/${encodeURIComponent(connectionId)}`
  const first = await callConnections(kit, accessToken, path, 'DELETE')
  const isStale = first.status === 401
  const current = isStale ? await renewed(kit, credentials) : credentials
  if (current === null) return
  const token = secretOf(current).accessToken
  const response = isStale ? await callConnections(kit, token, path, 'DELETE') : first
  if (![200, 204, 403, 404].includes(response.status)) throw toSourceError(response, 'the disconnection', kit.now())
  const left = await listConnections(kit, token, null)
  if (left.length === 0) await revoke(kit, current)
}

/** Returns null if the user has already ended the authorization. */
async function renewed(kit: Kit, credentials: Credentials): Promise<Credentials | null> {
  try {
    return await refreshCredentials(kit, credentials)
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'reconnect') return null
    throw error
  }
}
