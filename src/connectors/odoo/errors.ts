import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/answers.ts'
import { throwForStatus as refuse } from '../toolkit/status-failures.ts'

/** Odoo itself counts no calls; what stands before it seldom says how long to wait. */
const WAIT_MS = 60_000

/** What was asked for is not there, a database or a model: perhaps only for a moment. */
export class NotThere extends SourceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/**
 * Throws the failure that a status stands for; 200 passes, no other. Odoo answers 404 while a database is away, and for
 * one that is gone.
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

/** The `result` of a JSON-RPC answer. Its errors come with status 200 and are told apart by the Python name of the exception. */
export function readRpcResult(kit: Kit, response: HttpResponse, what: string): Json {
  refuseStatus(kit, response, what)
  const answer = responseJson(response, `Odoo ${what}`)
  if (isJsonObject(answer) && answer.error !== undefined) throw toSourceError(faultNameOf(answer), what)
  if (!isJsonObject(answer) || answer.result === undefined) throw new SourceError('badData', `Odoo ${what}: neither a result nor an error`)
  return answer.result
}

/** Refused for good: the key, the session or the rights. Source: odoo/exceptions.py, odoo/http.py */
const REFUSALS = /(AccessDenied|AccessError|SessionExpiredException|SessionExpired|access_denied|access_error)$/

/** A call that we put wrong, or that a module forbids. */
const OBJECTIONS = /(UserError|ValidationError|ValueError|TypeError|MissingError|user_error|validation_error|missing_error)$/

function toSourceError(name: string, what: string): SourceError {
  const told = `Odoo refused ${what}${inParentheses(name)}`
  if (REFUSALS.test(name)) return new SourceError('reconnect', told)
  // A database that cannot be opened is an internal error.
  return OBJECTIONS.test(name) ? new SourceError('badData', told) : new NotThere(told)
}

/** The Python name of the exception in an answer of either protocol; empty when there is none. Never the text beside it. */
function faultNameOf(answer: Json): string {
  if (!isJsonObject(answer)) return ''
  const error = isJsonObject(answer.error) ? answer.error : null
  const data = isJsonObject(error?.data) ? error.data : answer
  const name = data.name ?? data.exception_type
  return typeof name === 'string' && /^[\w.]{1,80}$/.test(name) ? name : ''
}

/** The body as JSON, or null when it is none. */
export function peekJson(response: HttpResponse): Json {
  try {
    return responseJson(response, 'Odoo')
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}

function inParentheses(name: string): string {
  return name === '' ? '' : ` (${name})`
}
