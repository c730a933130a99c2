import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import type { OpenedBooks } from '../toolkit/oauth/code-flow.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { IdentityWire } from './wire.ts'

const isIdentity = Compile(IdentityWire)

/**
 * Businesses of the person. Memberships without a business, or in one without a ledger, are left out.
 * Source: https://freshbooks-python-sdk.readthedocs.io/en/release-1.0.1/user_guide/authorization.html
 */
export async function listBusinesses(kit: Kit, accessToken: string): Promise<{ books: OpenedBooks[]; email: string | null }> {
  const { body } = await getAnswer(kit, { accessToken, path: '/auth/api/v1/users/me', what: 'the identity' })
  if (!isIdentity.Check(body)) throw new SourceError('badData', 'FreshBooks answered without an identity')
  const books = (body.response.business_memberships ?? []).flatMap(({ business }) =>
    business?.business_uuid
      ? [{ id: business.business_uuid, name: business.name ?? '', secret: { businessUuid: business.business_uuid } }]
      : [],
  )
  return { email: body.response.email ?? null, books: books.filter(isFirst) }
}

/** First occurrence of a business, in which a person may have several roles. */
function isFirst(business: OpenedBooks, index: number, all: readonly OpenedBooks[]): boolean {
  return all.findIndex(({ id }) => id === business.id) === index
}

export interface Call {
  accessToken: string
  path: string
  what: string
  maxBytes?: number
}

export async function getAnswer(kit: Kit, call: Call): Promise<{ bytes: Uint8Array; body: Json }> {
  const response = await callApi(kit, call)
  if (response.status !== 200) throw toSourceError(response, call.what, kit.now())
  const body = await responseJson(response, call.what)
  if (hasErrors(body)) throw toSourceError(response, call.what, kit.now())
  return { bytes: response.body, body }
}

/** Response of one call, whatever its status. */
export function callApi(kit: Kit, call: Call): Promise<HttpResponse> {
  return kit.http({
    url: `${kit.hosts.api}${call.path}`,
    headers: { accept: 'application/json', authorization: `Bearer ${call.accessToken}` },
    ...(call.maxBytes === undefined ? {} : { maxBytes: call.maxBytes }),
  })
}
