import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/answers.ts'
import { throwForStatus as refuse } from '../toolkit/status-failures.ts'

/** Sites limit calls only where their operator says so, and then give `Retry-After`; a proxy in front may not. */
const WAIT_MS = 60_000

/** What was asked for is not there, a site or a doctype: perhaps only for a moment. */
export class NotThere extends SourceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/**
 * Throws the failure that a status stands for; 200 passes, no other: what comes in parts or later is no whole list.
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

/** The name of the Python exception (`PermissionError`), never the text or the messages beside it; empty when there is none. */
function exceptionName(answer: Json): string {
  const name = isJsonObject(answer) ? answer.exc_type : null
  return typeof name === 'string' && /^\w{1,80}$/.test(name) ? name : ''
}

/** The body as JSON, or null when it is none. */
export function peekJson(response: HttpResponse): Json {
  try {
    return responseJson(response, 'ERPNext')
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}
