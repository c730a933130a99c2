import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { hasFault, toSourceError } from './errors.ts'
import { CompanyInfoWire } from './wire.ts'

/**
 * The oldest minor version that Intuit still serves.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/minor-versions
 */
const MINOR_VERSION = 75

const isCompanyInfo = Compile(CompanyInfoWire)

/** Display name of the company; the call also proves that the token has access to it. */
export async function readCompanyName(kit: Kit, accessToken: string, realmId: string): Promise<string> {
  const { body } = await getCompany(kit, { accessToken, realmId, path: `companyinfo/${realmId}`, query: {}, what: 'the company info' })
  if (!isCompanyInfo.Check(body)) throw new SourceError('badData', 'QuickBooks answered without a CompanyInfo')
  return body.CompanyInfo.CompanyName ?? body.CompanyInfo.LegalName ?? ''
}

interface CompanyCall {
  accessToken: string
  realmId: string
  path: string
  query: Record<string, string>
  what: string
}

export async function getCompany(kit: Kit, call: CompanyCall): Promise<{ bytes: Uint8Array; body: Json }> {
  const query = new URLSearchParams({ ...call.query, minorversion: String(MINOR_VERSION) })
  const response = await kit.http({
    url: `${kit.hosts.api}/v3/company/${encodeURIComponent(call.realmId)}/${call.path}?${query}`,
    headers: { accept: 'application/json', authorization: `Bearer ${call.accessToken}` },
  })
  if (response.status !== 200) throw toSourceError(response, call.what, kit.now())
  const body = await responseJson(response, call.what)
  if (hasFault(body)) throw toSourceError(response, call.what, kit.now())
  return { bytes: response.body, body }
}
