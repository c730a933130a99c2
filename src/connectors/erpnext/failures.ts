import type { Json } from '../../model/json.ts'
import { responseJson, retryAfterMs } from '../answers.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract.ts'

/** Sites limit calls only where their operator says so, and then give `Retry-After`; a proxy in front may not. */
const WAIT_MS = 60_000

/** What was asked for is not there, a site or a doctype: perhaps only for a moment. */
export class NotThere extends SourceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/**
 * Throws the failure that a status stands for; 200 passes.
 * Source: https://github.com/frappe/frappe/blob/version-15/frappe/exceptions.py
 */
export function refuseStatus(kit: Kit, response: HttpResponse, what: string): void {
  const { status } = response
  if (status === 200) return
  if (status === 429) {
    throw new SourceError('rateLimited', `ERPNext asks to wait before ${what}`, {
      retryAfterMs: retryAfterMs(response.headers, kit.now(), WAIT_MS),
    })
  }
  const name = exceptionName(peekJson(response))
  const told = `ERPNext answered ${what} with ${status}${name === '' ? '' : ` (${name})`}`
  if (status === 401 || status === 403) throw new SourceError('reconnect', told)
  if (status === 404) throw new NotThere(told)
  if (status === 408 || status >= 500) throw new SourceError('unavailable', told)
  throw new SourceError('badData', told)
}

/** The name of the Python exception (`PermissionError`), never the text or the messages beside it; empty when there is none. */
function exceptionName(answer: Json): string {
  const name = isObject(answer) ? answer.exc_type : null
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

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
