import type { HttpResponse, Kit, Session } from '../contract/contract.ts'
import { secretOf } from './authorization.ts'
import { type DataCentre, hostOf } from './data-centres.ts'

/** An answer of any status from the API of the data centre where the tokens are good. */
export async function callBooks(
  kit: Kit,
  secret: { accessToken: string; apiAt: DataCentre },
  path: string,
  query: Record<string, string>,
): Promise<HttpResponse> {
  const parameters = new URLSearchParams(query)
  return await kit.http({
    url: `${hostOf(kit, secret.apiAt, 'api')}/books/v3/${path}${parameters.size > 0 ? `?${parameters}` : ''}`,
    headers: { accept: 'application/json', authorization: `Zoho-oauthtoken ${secret.accessToken}` },
  })
}

/** The same for the organization of a session. */
export async function callOrganization(session: Session, path: string, query: Record<string, string> = {}): Promise<HttpResponse> {
  return await callBooks(session.kit, secretOf(session.credentials), path, { organization_id: session.entityId, ...query })
}
