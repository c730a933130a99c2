import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { type DataCentre, hostOf } from './data-centres.ts'
import { hasFault, toSourceError } from './errors.ts'
import { secretOf } from './secret.ts'
import { OrganizationsWire, type OrganizationWire } from './wire.ts'

const isOrganizations = Compile(OrganizationsWire)

/** The organizations of the person, in Zoho's order. Source: https://www.zoho.com/books/api/v3/organizations/ */
export async function listOrganizations(kit: Kit, accessToken: string, apiAt: DataCentre): Promise<OrganizationWire[]> {
  const what = 'the list of organizations'
  const response = await callBooks(kit, { accessToken, apiAt }, 'organizations', {})
  if (hasFault(response)) throw toSourceError(response, what, kit.now())
  const body: Json = await responseJson(response, what)
  if (!isOrganizations.Check(body)) throw new SourceError('badData', 'Zoho answered no list of organizations')
  return body.organizations
}

/** Response of any status from the API of the data centre in which the tokens are valid. */
async function callBooks(
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
