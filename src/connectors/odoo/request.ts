import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import type { HttpResponse, Kit } from '../contract/contract.ts'
import { isJsonObject, peekJson, responseJson } from '../toolkit/http/answers.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { readRpcResult, refuseStatus } from './errors.ts'

/**
 * JSON-2 came with 19; JSON-RPC is deprecated since and leaves with 22.
 * Source: https://www.odoo.com/documentation/19.0/developer/reference/external_api.html
 */
const FIRST_JSON2 = 19
const REQUEST_TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024

const Secret = Type.Object({
  /** No trailing slash. */
  address: Type.String(),
  database: Type.String(),
  user: Type.String(),
  apiKey: Type.String(),
  userId: Type.Integer(),
  companyId: Type.Integer(),
  /** The user's language (`fr_CA`): names come translated as the user sees them. Empty when the user has none. */
  language: Type.String(),
})
export type OdooSecret = Static<typeof Secret>
export type OdooLogin = Pick<OdooSecret, 'address' | 'database' | 'user' | 'apiKey'>

export const readSecret = secretReader(Secret, 'Odoo')

/**
 * Major version of the server, 18 for `saas~18.3`; null when the server is not Odoo. Throws when it does not respond.
 * Versions from 19 on have a page for it, older ones report it by JSON-RPC.
 */
export async function askVersion(kit: Kit, address: string): Promise<number | null> {
  const page = await kit.http({ url: `${address}/web/version`, headers: { accept: 'application/json' }, timeoutMs: REQUEST_TIMEOUT_MS })
  if (page.status === 429 || page.status >= 500) refuseStatus(kit, page, 'the version')
  const major = page.status === 200 ? readMajor(peekJson(page)) : null
  if (major !== null) return major
  const response = await postRpc(kit, address, 'common', 'version', [])
  if (response.status === 429 || response.status >= 500) refuseStatus(kit, response, 'the version')
  const answer = response.status === 200 ? peekJson(response) : null
  return isJsonObject(answer) ? readMajor(answer.result ?? null) : null
}

/** User id; null when database, user and key do not match. For JSON-RPC only. */
export async function authenticate(kit: Kit, login: OdooLogin): Promise<number | null> {
  const response = await postRpc(kit, login.address, 'common', 'authenticate', [login.database, login.user, login.apiKey, {}])
  const userId = await readRpcResult(kit, response, 'the login')
  return typeof userId === 'number' ? userId : null
}

/** Calls of public methods by argument names, over the protocol of the version. */
export interface OdooCalls {
  /** Response as received, already verified to hold a result. */
  call(model: string, method: string, named: { [name: string]: Json }): Promise<{ body: Uint8Array; result: Json }>
}

export function speaksJson2(major: number): boolean {
  return major >= FIRST_JSON2
}

export function openCalls(kit: Kit, secret: OdooLogin & { userId: number }, major: number): OdooCalls {
  return speaksJson2(major) ? openJson2(kit, secret) : openJsonRpc(kit, secret)
}

function openJson2(kit: Kit, { address, database, apiKey }: OdooLogin): OdooCalls {
  return {
    async call(model, method, named) {
      const response = await postJson(kit, `${address}/json/2/${model}/${method}`, named, {
        authorization: `bearer ${apiKey}`,
        'x-odoo-database': database,
      })
      const what = `${model}.${method}`
      refuseStatus(kit, response, what)
      return { body: response.body, result: await responseJson(response, `Odoo ${what}`) }
    },
  }
}

function openJsonRpc(kit: Kit, { address, database, apiKey, userId }: OdooLogin & { userId: number }): OdooCalls {
  return {
    async call(model, method, named) {
      const response = await postRpc(kit, address, 'object', 'execute_kw', [database, userId, apiKey, model, method, [], named])
      return { body: response.body, result: await readRpcResult(kit, response, `${model}.${method}`) }
    },
  }
}

function postRpc(kit: Kit, address: string, service: string, method: string, args: Json[]): Promise<HttpResponse> {
  return postJson(kit, `${address}/jsonrpc`, { jsonrpc: '2.0', method: 'call', params: { service, method, args }, id: 1 }, {})
}

function postJson(kit: Kit, url: string, body: { [name: string]: Json }, headers: Record<string, string>): Promise<HttpResponse> {
  return kit.http({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

/**
 * `version_info` (19 on) or `server_version_info`: `[19, 0, 0, "final", 0, ""]`, the first being `"saas~18"` on Odoo
 * Online.
 */
function readMajor(told: Json): number | null {
  if (!isJsonObject(told)) return null
  const info = told.version_info ?? told.server_version_info
  const digits = /\d+/.exec(String(Array.isArray(info) ? info[0] : ''))
  return digits === null ? null : Number(digits[0])
}
