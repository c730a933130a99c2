import { Compile } from 'typebox/compile'
import { type HttpResponse, type Kit, type Session, SourceError } from '../contract/contract.ts'
import { jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { toSourceError } from './errors.ts'
import { ConnectionsWire, type ConnectionWire, OrganisationsWire, SecretWire } from './wire.ts'

const isConnections = Compile(ConnectionsWire)
const isOrganisations = Compile(OrganisationsWire)

export const secretOf = secretReader(SecretWire, 'Xero')

/** Connections of the sign-in to the app; `authEventId` restricts them to one authorization. */
export async function listConnections(kit: Kit, accessToken: string, authEventId: string | null): Promise<ConnectionWire[]> {
  const query = authEventId === null ? '' : `?${new URLSearchParams({ authEventId })}`
  const response = await callConnections(kit, accessToken, query)
  if (response.status !== 200) throw toSourceError(response, 'the list of connections', kit.now())
  const connections = await responseJson(response, 'the list of connections')
  if (!isConnections.Check(connections)) throw new SourceError('badData', 'Xero answered no list of connections')
  return connections
}

/** The list of connections, or one of them. */
export async function callConnections(
  kit: Kit,
  accessToken: string,
  rest: string,
  method: 'GET' | 'DELETE' = 'GET',
): Promise<HttpResponse> {
  return await kit.http({
    method,
    url: `${kit.hosts.api}/connections${rest}`,
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
  })
}

/**
 * NOTE Only the currency of the answer is kept: the response also has telephone numbers, addresses and a key for
 * exchanges between organisations.
 */
export async function readBase(session: Session): Promise<Uint8Array> {
  const what = 'the organisation'
  const response = await get(session, 'Organisation', {})
  if (response.status !== 200) throw toSourceError(response, what, session.kit.now())
  const body = await responseJson(response, what)
  if (!isOrganisations.Check(body)) throw new SourceError('badData', 'Xero answered without an organisation')
  return jsonBytes({ BaseCurrency: body.Organisations[0]?.BaseCurrency ?? null })
}

/** Response of any status. Without `accept` Xero sends XML. */
export async function get(
  session: { kit: Kit } & Pick<Session, 'credentials' | 'entityId'>,
  resource: string,
  query: Record<string, string>,
  maxBytes?: number,
): Promise<HttpResponse> {
  const parameters = new URLSearchParams(query)
  return await session.kit.http({
    url: `${session.kit.hosts.api}/api.xro/2.0/${resource}${parameters.size > 0 ? `?${parameters}` : ''}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${secretOf(session.credentials).accessToken}`,
      'xero-tenant-id': session.entityId,
    },
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
}
