import { Compile } from 'typebox/compile'
import { type Credentials, type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/answers.ts'
import { refreshCredentials, revoke, secretOf } from './authorization.ts'
import { toSourceError } from './errors.ts'
import { ConnectionsWire, type ConnectionWire } from './wire.ts'

const isConnections = Compile(ConnectionsWire)

/** What a sign-in has connected to the app; `authEventId` narrows it to one authorization. */
export async function listConnections(kit: Kit, accessToken: string, authEventId: string | null): Promise<ConnectionWire[]> {
  const query = authEventId === null ? '' : `?${new URLSearchParams({ authEventId })}`
  const response = await call(kit, accessToken, query)
  if (response.status !== 200) throw toSourceError(response, 'the list of connections', kit.now())
  const connections = responseJson(response, 'the list of connections')
  if (!isConnections.Check(connections)) throw new SourceError('badData', 'Xero answered no list of connections')
  return connections
}

/**
 * Takes this one organisation from the app. The tokens belong to the person and open every organisation that the person connected, so
 * they are revoked only when none is left. A connection that has ended already is no failure.
 * Source: https://developer.xero.com/documentation/guides/oauth2/tenants/
 */
export async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const { connectionId, accessToken } = secretOf(credentials)
  const path = `/${encodeURIComponent(connectionId)}`
  const first = await call(kit, accessToken, path, 'DELETE')
  const isStale = first.status === 401
  const current = isStale ? await renewed(kit, credentials) : credentials
  if (current === null) return
  const token = secretOf(current).accessToken
  const response = isStale ? await call(kit, token, path, 'DELETE') : first
  if (![200, 204, 403, 404].includes(response.status)) throw toSourceError(response, 'the disconnection', kit.now())
  const left = await listConnections(kit, token, null)
  if (left.length === 0) await revoke(kit, current)
}

/** Null: the person has ended the authorization already. */
async function renewed(kit: Kit, credentials: Credentials): Promise<Credentials | null> {
  try {
    return await refreshCredentials(kit, credentials)
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'reconnect') return null
    throw error
  }
}

async function call(kit: Kit, accessToken: string, rest: string, method: 'GET' | 'DELETE' = 'GET'): Promise<HttpResponse> {
  return await kit.http({
    method,
    url: `${kit.hosts.api}/connections${rest}`,
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
  })
}
