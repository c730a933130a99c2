import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import type { Answers, HttpResponse, Kit } from '../contract/contract.ts'
import { answerJson, isJsonObject, objectsInSlices, objectsOf, property, responseJson } from '../toolkit/http/answers.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { refuseStatus } from './errors.ts'

const REQUEST_TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024

const Secret = Type.Object({
  /** Base URL without a trailing slash. */
  address: Type.String(),
  apiKey: Type.String(),
  apiSecret: Type.String(),
  /** Company abbreviation, which never changes, unlike the name. */
  abbreviation: Type.String(),
})
export type ErpnextSecret = Static<typeof Secret>
export type ErpnextLogin = Pick<ErpnextSecret, 'address' | 'apiKey' | 'apiSecret'>

export const readSecret = secretReader(Secret, 'ERPNext')

export type Row = { [field: string]: Json }

interface ListQuery {
  fields: readonly string[]
  filters: readonly Json[]
  /** Maximum number of rows; 0: all. */
  limit: number
}

/** Read calls of one login. Source: https://docs.frappe.io/framework/user/en/api/rest */
export interface ErpnextCalls {
  /** Records in the order of their names, as the database sorts them, with the response as received. */
  list(doctype: string, query: ListQuery): Promise<{ body: Uint8Array; rows: Row[] }>
  /** Result of a method without arguments. */
  ask(method: string): Promise<Json>
}

export function openCalls(kit: Kit, { address, apiKey, apiSecret }: ErpnextLogin): ErpnextCalls {
  const headers = { authorization: `token ${apiKey}:${apiSecret}` }
  return {
    async list(doctype, { fields, filters, limit }) {
      const query = new URLSearchParams({
        fields: JSON.stringify(fields),
        filters: JSON.stringify(filters),
        order_by: 'name asc',
        limit_start: '0',
        limit_page_length: String(limit),
      })
      const what = `the list of ${doctype}`
      const response = await get(kit, `${address}/api/resource/${encodeURIComponent(doctype)}?${query}`, headers)
      refuseStatus(kit, response, what)
      const rows = await objectsInSlices(property(await responseJson(response, `ERPNext ${what}`), 'data'), noList(what))
      return { body: response.body, rows }
    },
    async ask(method) {
      const response = await get(kit, `${address}/api/method/${method}`, headers)
      refuseStatus(kit, response, method)
      const answer = await responseJson(response, `ERPNext ${method}`)
      return isJsonObject(answer) ? (answer.message ?? null) : null
    },
  }
}

/** Ping, the one unauthenticated call of Frappe: `{"message":"pong"}`. */
export function ping(kit: Kit, address: string): Promise<HttpResponse> {
  return get(kit, `${address}/api/method/ping`, {})
}

/** Records of a stored response; `badData` when it holds none. */
export function readRows(answers: Answers, name: string): Row[] {
  return objectsOf(property(answerJson(answers, name), 'data'), noList(name))
}

function noList(what: string): string {
  return `ERPNext: ${what} is no list of records`
}

/** Without `Accept: application/json` Frappe returns errors as HTML pages. */
function get(kit: Kit, url: string, headers: Record<string, string>): Promise<HttpResponse> {
  return kit.http({
    url,
    headers: { accept: 'application/json', ...headers },
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}
