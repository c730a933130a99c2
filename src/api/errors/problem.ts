import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../../egress/node-http.ts'
import { ListTooLarge, MOST_LOOKED_AT } from '../../store/db/list-selection.ts'
import { QuotaReached } from '../../store/operators/quotas.ts'
import { ApiError, badField, badRequest, type ErrorReason, type FieldError, unavailable } from './errors.ts'
import { toFieldErrors } from './input-errors.ts'

/** Problem details (RFC 9457), extended by the API's traditional error members. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  Code: number
  Message: string
  requestId: string
  reason?: ErrorReason
  errors?: FieldError[]
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

export function toProblem(error: ApiError, requestId: string): Problem {
  const problem: Problem = {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    Code: error.status,
    Message: error.message,
    requestId,
  }
  if (error.reason !== null) problem.reason = error.reason
  if (error.fields.length > 0) problem.errors = error.fields
  return problem
}

export function sendProblem(reply: FastifyReply, error: ApiError): FastifyReply {
  return reply
    .code(error.status)
    .headers({ 'cache-control': 'no-store', ...error.headers })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(toProblem(error, reply.request.id)))
}

/**
 * Error handler for everything thrown in a route. Errors not meant for callers are logged with their stack and answered
 * with a bare 500 or 503.
 */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(reply, toKnownError(error, request))
}

/** Problem details of an error for the caller; logs what callers must not see. */
export function toKnownError(error: unknown, request: FastifyRequest): ApiError {
  const known = isAbandoned(request) ? new ApiError(408, 'The request was not completed.', { cause: error }) : toApiError(error)
  if (known.status >= 500) request.log.error({ requestId: request.id, route: request.routeOptions.url, err: error }, 'request failed')
  return known
}

/** Whether the connection ended before the body: the response has no reader, and it is not our fault. */
function isAbandoned({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Maps `error` to the response for the caller. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof QuotaReached) return new ApiError(409, error.message, { cause: error })
  if (error instanceof ListTooLarge) return tooLarge(error)
  if (!(error instanceof Error)) return new ApiError(500, 'Something went wrong.')
  if (isFastifyError(error)) return fromFramework(error)
  const refusal = findWriteRefusal(error)
  if (refusal !== null) return unavailable(30, error, refusal)
  if (isDatabaseOut(error)) return unavailable(5, error, 'The database cannot answer now.')
  return new ApiError(500, 'Something went wrong.', { cause: error })
}

function tooLarge({ parameter, range }: ListTooLarge): ApiError {
  return badField(parameter, `would have to look at more than ${MOST_LOOKED_AT} rows: filter by a range of ${range}, too`)
}

const FRAMEWORK_MESSAGES: Record<number, string> = {
  400: 'The request cannot be read.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The body must be application/json.',
}

/** Framework errors that mean a bad request; all others are our own faults. */
function fromFramework(error: FastifyError): ApiError {
  if (error.validation) {
    return badRequest('The request has invalid values.', toFieldErrors(error.validation, error.validationContext ?? 'body'))
  }
  const message = FRAMEWORK_MESSAGES[error.statusCode ?? 500]
  if (error.statusCode === 503) return unavailable(5, error)
  return message === undefined
    ? new ApiError(500, 'Something went wrong.', { cause: error })
    : new ApiError(error.statusCode ?? 400, message, { cause: error })
}

function isFastifyError(error: Error): error is FastifyError {
  return 'validation' in error || ('code' in error && typeof error.code === 'string' && error.code.startsWith('FST_'))
}

/**
 * Errors that last until an operator acts, while reads continue.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const WRITE_REFUSALS: Readonly<Record<string, string>> = {
  53100: 'The disk of the database is full: nothing was changed. Writes work again when there is space.',
  25006: 'The database is read-only: nothing was changed.',
  ENOSPC: 'The disk of this server is full: nothing was changed. Writes work again when there is space.',
}

function findWriteRefusal(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? (WRITE_REFUSALS[error.code] ?? null) : null
}

/**
 * Classes 08, 53, 57P, a cancelled statement or lock wait, and a deadlock: the database is down, full, restarting or too
 * slow, and a repetition may succeed.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const DATABASE_OUT =
  /^(08|53|57P|57014$|55P03$|40P01$)|^E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/

function isDatabaseOut(error: Error): boolean {
  if ('code' in error && typeof error.code === 'string' && DATABASE_OUT.test(error.code)) return true
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/.test(error.message)
}
