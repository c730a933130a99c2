import type { ProblemDetails } from './generated/types.gen.ts'

/** An answer that is not what was asked for: a refusal with its problem details, or something that is not the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The body of a refusal (RFC 9457). Undefined when something between here and the API answered. */
  readonly problem: ProblemDetails | undefined
  /** Names the request in the log of the deployment. */
  readonly requestId: string | undefined
  /** When to ask again, where the API says so. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, response: Response, body?: unknown) {
    super(message)
    this.status = response.status
    this.problem = isProblem(body) ? body : undefined
    this.requestId = this.problem?.requestId ?? response.headers.get('x-request-id') ?? undefined
    this.retryAfterMs = readRetryAfter(response)
  }

  static ofRefusal(request: Request | undefined, response: Response, body: unknown): ApiError {
    const fields = isProblem(body) ? (body.errors ?? []).map(({ field, message }) => `${field} ${message}`) : []
    const said = isProblem(body) ? [body.Message, ...fields].join(' ') : 'The answer is not one of the API; is baseUrl right?'
    return new ApiError(`${describeRequest(request)} was answered with ${response.status}: ${said}`, response, body)
  }
}

/**
 * No whole answer came: nobody listens, the connection broke, or the time was up. What was asked for may have been done.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  /** How often it was tried; 1 for an answer that broke off while the call read it. */
  readonly attempts: number

  constructor(message: string, attempts: number, cause: unknown) {
    super(`${message}: ${describeCause(cause)}`, { cause })
    this.attempts = attempts
  }

  static ofAttempts(request: Request, attempts: number, cause: unknown): NoAnswerError {
    const tries = attempts === 1 ? 'once' : `${attempts} times`
    return new NoAnswerError(`${describeRequest(request)} got no answer, tried ${tries}`, attempts, cause)
  }

  static ofBody(request: Request | undefined, cause: unknown): NoAnswerError {
    return new NoAnswerError(`${describeRequest(request)} got an answer that broke off`, 1, cause)
  }
}

/** A stream of lines that broke off, or ended within a line, or before all were there. The lines before are whole. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError'
  /** What the API said at the end of the stream, where it could. */
  readonly problem: ProblemDetails | undefined

  constructor(message: string, options: { cause?: unknown; problem?: ProblemDetails | undefined } = {}) {
    super(message, options)
    this.problem = options.problem
  }
}

function describeRequest(request: Request | undefined): string {
  if (!request) return 'The request'
  const { origin, pathname } = new URL(request.url)
  return `${request.method} ${origin}${pathname}`
}

/** Milliseconds until the time of the header `Retry-After`, which gives seconds or a date. */
export function readRetryAfter(response: Response, now = Date.now()): number | undefined {
  const value = response.headers.get('retry-after')?.trim()
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

function isProblem(body: unknown): body is ProblemDetails {
  return typeof body === 'object' && body !== null && 'Message' in body && 'status' in body
}

/** `fetch` hides the reason in the cause of its error. */
export function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message
}
