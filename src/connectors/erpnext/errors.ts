import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, peekJson } from '../toolkit/http/answers.ts'
import { throwForStatus as refuse } from '../toolkit/http/status-failures.ts'

/**
 * Wait after a 429: sites limit calls only when their operator configures it, and then send `Retry-After`; a proxy in
 * front may not.
 */
const WAIT_MS = 60_000

/** Missing site or doctype, perhaps only temporarily. */
export class NotThere extends SourceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/**
 * Throws the error for a status; only 200 passes, since partial or deferred responses are no complete list.
 * Source: https://github.com/frappe/frappe/blob/version-15/frappe/exceptions.py
 */
export function refuseStatus(kit: Kit, response: HttpResponse, what: string): void {
  const { status } = response
  if (status === 200) return
  const code = exceptionName(peekJson(response))
  const told = `ERPNext answered ${what} with ${status}${code === '' ? '' : ` (${code})`}`
  if (status === 404) throw new NotThere(told)
  refuse(kit, response, { source: 'ERPNext', what, code, waitMs: WAIT_MS })
  throw new SourceError('badData', told)
}

/** Name of the Python exception (`PermissionError`), never its text or messages; empty when there is none. */
function exceptionName(answer: Json): string {
  const name = isJsonObject(answer) ? answer.exc_type : null
  return typeof name === 'string' && /^\w{1,80}$/.test(name) ? name : ''
}
