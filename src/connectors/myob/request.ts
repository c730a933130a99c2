import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { listItems } from './rows.ts'
import { CompanyFileWire } from './wire.ts'

const isFile = Compile(CompanyFileWire)

export interface Call {
  accessToken: string
  /** Below /accountright/, with its query. */
  path: string
  what: string
}

export interface Answer {
  bytes: Uint8Array
  body: Json
}

/**
 * Successful response. Every call includes the app's key beside the token.
 * Source: https://developer.myob.com/api/myob-business-api/api-overview/authentication/
 */
export async function getAnswer(kit: Kit, call: Call): Promise<Answer> {
  const response = await kit.http({
    url: `${kit.hosts.api}/accountright/${call.path}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${call.accessToken}`,
      'x-myobapi-key': kit.app.clientId ?? '',
      'x-myobapi-version': 'v2',
    },
  })
  if (response.status !== 200) throw toSourceError(response, call.what, kit.now())
  const body = await responseJson(response, call.what)
  if (hasErrors(body)) throw toSourceError(response, call.what, kit.now())
  return { bytes: response.body, body }
}

/**
 * Company file of an id, or all that the token has access to. A named file is requested by its own URL, since apps with
 * granular scopes cannot read the list.
 * Source: https://developer.myob.com/api/myob-business-api/v2/company-files/
 */
export async function listFiles(kit: Kit, accessToken: string, businessId: string | null): Promise<{ id: string; name: string }[]> {
  if (businessId !== null) {
    const { Id, Name } = await readFile(kit, accessToken, businessId)
    return [{ id: Id, name: Name ?? '' }]
  }
  const { body } = await getAnswer(kit, { accessToken, path: '', what: 'the list of company files' })
  const rows = Array.isArray(body) ? body : listItems(body)
  return rows.flatMap((row) => (isFile.Check(row) ? [{ id: row.Id, name: row.Name ?? '' }] : []))
}

/** Company file; the call also proves that the token has access to it. */
export async function readFile(kit: Kit, accessToken: string, businessId: string): Promise<CompanyFileWire> {
  const { body } = await getAnswer(kit, { accessToken, path: `${encodeURIComponent(businessId)}/`, what: 'the company file' })
  const file = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body.CompanyFile ?? body) : null
  if (!isFile.Check(file)) throw new SourceError('badData', 'MYOB answered without the company file')
  if (file.Id.toLowerCase() !== businessId.toLowerCase()) throw new SourceError('badData', 'MYOB answered another company file')
  return file
}
