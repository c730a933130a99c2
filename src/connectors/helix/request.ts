import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { basicAuthorization, throwForStatus } from '../toolkit/http/status-failures.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { Envelope, ListData } from './wire.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 32 * 1024 * 1024
/** Wait after a 429: Helix publishes no limit. */
const WAIT_MS = 60_000

const Secret = Type.Object({
  /** Base URL without a trailing slash. */
  address: Type.String(),
  apiKey: Type.String(),
  secret: Type.String(),
  customerId: Type.String(),
})
export type HelixSecret = Static<typeof Secret>

export const readSecret = secretReader(Secret, 'Helix')

/** GET with the API key; the response may have any status. */
export function get(kit: Kit, { address, apiKey, secret }: HelixSecret, path: string): Promise<HttpResponse> {
  return kit.http({
    url: `${address}/${path}`,
    headers: { accept: 'application/json', authorization: basicAuthorization(apiKey, secret) },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

export async function ask<S extends TSchema>(
  kit: Kit,
  secret: HelixSecret,
  path: string,
  shape: S,
  what: string,
): Promise<{ body: Uint8Array; data: Static<S> }> {
  const response = await get(kit, secret, path)
  refuse(kit, response, what)
  return { body: response.body, data: openEnvelope(await responseJson(response, `Helix ${what}`), shape, what) }
}

export function refuse(kit: Kit, response: HttpResponse, what: string): void {
  throwForStatus(kit, response, { source: 'Helix', what, waitMs: WAIT_MS })
}

/**
 * Content of the response envelope. Errors may have status 200; only their codes are reported, since their texts quote
 * the request.
 */
export function openEnvelope<S extends TSchema>(answer: Json, shape: S, what: string): Static<S> {
  if (!Check(Envelope, answer)) throw new SourceError('badData', `Helix: ${what} has no envelope`)
  const codes = (answer.errors ?? []).map(({ code }) => String(code ?? '').replace(/\D/g, ''))
  if (codes.length > 0) throw new SourceError('badData', `Helix refused ${what} (${codes.join(', ')})`)
  if (!Check(shape, answer.data)) throw new SourceError('badData', `Helix: ${what} has an unknown shape`)
  return answer.data
}

/** Accounts, including closed ones. Source: CorePro SDK, Account.list */
export function listAccounts(kit: Kit, secret: HelixSecret) {
  return ask(kit, secret, `account/list/${secret.customerId}`, ListData, 'the accounts')
}
