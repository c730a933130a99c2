import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, peekJson, responseJson } from '../toolkit/http/answers.ts'
import { throwForStatus as refuse } from '../toolkit/http/status-failures.ts'

/** Wait after a 429: Odoo itself has no rate limit; proxies in front of it seldom send Retry-After. */
const WAIT_MS = 60_000

/** Missing database or model, perhaps only temporarily. */
export class NotThere extends SourceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/**
 * Throws the error for a status; only 200 passes. Odoo responds with 404 while a database is unavailable, and for a
 * deleted one.
 */
export function refuseStatus(kit: Kit, response: HttpResponse, what: string): void {
  const { status } = response
  if (status === 200) return
  const code = faultNameOf(peekJson(response))
  const told = `Odoo answered ${what} with ${status}${inParentheses(code)}`
  if (status === 404) throw new NotThere(told)
  refuse(kit, response, { source: 'Odoo', what, code, waitMs: WAIT_MS })
  throw new SourceError('badData', told)
}

/**
 * `result` of a JSON-RPC response. Its errors have status 200 and are distinguished by the Python name of the
 * exception.
 */
export async function readRpcResult(kit: Kit, response: HttpResponse, what: string): Promise<Json> {
  refuseStatus(kit, response, what)
  const answer = await responseJson(response, `Odoo ${what}`)
  if (isJsonObject(answer) && answer.error !== undefined) throw toSourceError(faultNameOf(answer), what)
  if (!isJsonObject(answer) || answer.result === undefined) throw new SourceError('badData', `Odoo ${what}: neither a result nor an error`)
  return answer.result
}

/** Refused for good: the key, the session or the rights. Source: odoo/exceptions.py, odoo/http.py */
const REFUSALS = /(AccessDenied|AccessError|SessionExpiredException|SessionExpired|access_denied|access_error)$/

/** Invalid call, or one that a module forbids. */
const OBJECTIONS = /(UserError|ValidationError|ValueError|TypeError|MissingError|user_error|validation_error|missing_error)$/

function toSourceError(name: string, what: string): SourceError {
  const told = `Odoo refused ${what}${inParentheses(name)}`
  if (REFUSALS.test(name)) return new SourceError('reconnect', told)
  // A database that cannot be opened is an internal error.
  return OBJECTIONS.test(name) ? new SourceError('badData', told) : new NotThere(told)
}

/** Python name of the exception in a response of either protocol; empty when there is none. Never its text. */
function faultNameOf(answer: Json): string {
  if (!isJsonObject(answer)) return ''
  const error = isJsonObject(answer.error) ? answer.error : null
  const data = isJsonObject(error?.data) ? error.data : answer
  const name = data.name ?? data.exception_type
  return typeof name === 'string' && /^[\w.]{1,80}$/.test(name) ? name : ''
}

function inParentheses(name: string): string {
  return name === '' ? '' : ` (${name})`
}
