import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import type { OpenedBooks } from '../toolkit/oauth/code-flow.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { readEnvelope } from './read.ts'
import { BusinessWire, SettingsWire, UserWire } from './wire.ts'

const isBusiness = Compile(BusinessWire)
const isSettings = Compile(SettingsWire)
const isUser = Compile(UserWire)

/**
 * Without `businessId` a call is about the signed-in person; all other calls need it, or they are answered for the lead
 * business.
 */
export interface Call {
  accessToken: string
  businessId?: string
  path: string
  what: string
}

export interface Answer {
  bytes: Uint8Array
  body: Json
}

export async function getAnswer(kit: Kit, call: Call): Promise<Answer> {
  return await read(kit, call, await send(kit, call))
}

/**
 * Null when the person's role has no access to this part of the business ("Access Control Restrictions" of Sage's
 * reference).
 */
export async function findAnswer(kit: Kit, call: Call): Promise<Answer | null> {
  const response = await send(kit, call)
  return response.status === 403 ? null : await read(kit, call, response)
}

/** Signed-in person, and every business accessible to them, which Sage returns in one page. */
export async function listBusinesses(kit: Kit, accessToken: string): Promise<{ books: OpenedBooks[]; email: string | null }> {
  const { body } = await getAnswer(kit, { accessToken, path: 'businesses', what: 'the list of businesses' })
  const { items, hasNext } = readEnvelope(body)
  if (hasNext) throw new SourceError('badData', 'Sage answered only one page of the businesses')
  const books = items.flatMap((item) =>
    isBusiness.Check(item) ? [{ id: item.id, name: item.name || (item.displayed_as ?? ''), secret: { businessId: item.id } }] : [],
  )
  const user = await getAnswer(kit, { accessToken, path: 'user', what: 'the user' })
  return { email: isUser.Check(user.body) ? (user.body.email ?? null) : null, books }
}

/** Base currency of a business, as written by Sage; null when the person has no access to the settings. */
export async function readBaseCurrency(kit: Kit, accessToken: string, businessId: string): Promise<Json> {
  const answer = await findAnswer(kit, { accessToken, businessId, path: 'financial_settings', what: 'the financial settings' })
  if (answer === null) return null
  if (!isSettings.Check(answer.body)) throw new SourceError('badData', 'Sage answered without financial settings')
  return answer.body.base_currency?.id === undefined ? null : { id: answer.body.base_currency.id }
}

async function send(kit: Kit, call: Call): Promise<HttpResponse> {
  return await kit.http({
    url: `${kit.hosts.api}/v3.1/${call.path}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${call.accessToken}`,
      ...(call.businessId === undefined ? {} : { 'x-business': call.businessId }),
    },
  })
}

async function read(kit: Kit, call: Call, response: HttpResponse): Promise<Answer> {
  if (response.status !== 200) throw toSourceError(response, call.what, kit.now())
  const body = await responseJson(response, call.what)
  if (hasErrors(body)) throw toSourceError(response, call.what, kit.now())
  return { bytes: response.body, body }
}
