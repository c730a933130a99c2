/**
 * Error in one input field: `field` is a parameter's name or the path of a body property (`address.city`); empty for
 * the whole body.
 */
export interface FieldError {
  field: string
  message: string
}

/** Code of an error that a program acts on. */
export type ErrorReason = 'proof-required' | 'two-step-required'

interface Extras {
  reason?: ErrorReason
  fields?: FieldError[]
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * Error response to the caller. `message` is shown unchanged, so it contains no secret, no SQL and nothing of another
 * instance. Any other thrown error becomes a 500 without detail.
 */
export class ApiError extends Error {
  readonly status: number
  readonly fields: FieldError[]
  readonly headers: Record<string, string>
  readonly reason: ErrorReason | null

  constructor(status: number, message: string, extras: Extras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'ApiError'
    this.status = status
    this.fields = extras.fields ?? []
    this.headers = extras.headers ?? {}
    this.reason = extras.reason ?? null
  }
}

export function badRequest(message: string, fields: FieldError[] = []): ApiError {
  return new ApiError(400, message, { fields })
}

/** A 400 for one field. */
export function badField(field: string, message: string): ApiError {
  return badRequest('The request has invalid values.', [{ field, message }])
}

const CHALLENGE = 'Bearer realm="api"'

export function unauthorized(message = 'A valid access token is needed.'): ApiError {
  return new ApiError(401, message, { headers: { 'www-authenticate': CHALLENGE } })
}

/**
 * A 401 for a token that is not ours, has expired or belongs to an ended session, and for an API key that is cut,
 * unknown, expired or revoked: all the same.
 * Source: https://www.rfc-editor.org/rfc/rfc6750#section-3.1
 */
export function invalidToken(): ApiError {
  const description = 'The access token or API key is not valid, has run out or was ended.'
  const challenge = `${CHALLENGE}, error="invalid_token", error_description="${description}"`
  return new ApiError(401, description, { headers: { 'www-authenticate': challenge } })
}

/** A 403: the token is valid, its role is not sufficient. */
export function insufficientRole(): ApiError {
  const challenge = `${CHALLENGE}, error="insufficient_scope", error_description="The role of the token may not do this."`
  return new ApiError(403, 'Your role may not do this.', { headers: { 'www-authenticate': challenge } })
}

/** A 403: the API key is valid and lacks the scope. Source: https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
export function insufficientScope(scope: string): ApiError {
  const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`
  return new ApiError(403, `The API key lacks the scope ${scope}.`, { headers: { 'www-authenticate': challenge } })
}

/** A 403 for an API key, whatever its scopes. */
export function notForKeys(): ApiError {
  return new ApiError(403, 'API keys may not do this: sign in as a user.')
}

/**
 * A 403: the session's last proof of who its user is is too old. The challenge is that of RFC 9470.
 * Source: https://www.rfc-editor.org/rfc/rfc9470#section-3
 */
export function proofRequired(maxAgeSeconds: number): ApiError {
  const challenge = `${CHALLENGE}, error="insufficient_user_authentication", max_age="${maxAgeSeconds}"`
  return new ApiError(403, 'Prove again who you are, then repeat the request.', {
    reason: 'proof-required',
    headers: { 'www-authenticate': challenge },
  })
}

/** A 403 for everything but setting up a second step, which the instance requires. */
export function twoStepRequired(): ApiError {
  return new ApiError(403, 'This instance requires two-step login: set it up first.', { reason: 'two-step-required' })
}

export function forbidden(message = 'Your role may not do this.'): ApiError {
  return new ApiError(403, message)
}

/** A 403 for everything that users of a suspended instance ask for. */
export function instanceSuspended(): ApiError {
  return forbidden('The instance is suspended. Its data is kept; ask whoever runs this deployment.')
}

/** A 403 for passwords of members who have to sign in with the identity provider of their instance. */
export function providerRequired(): ApiError {
  return forbidden('Members of this instance sign in with its identity provider: passwords do not work.')
}

/**
 * A 404. Unknown ids and those of other instances get the same response, so `what` is a kind of thing ("company"),
 * never an id.
 */
export function notFound(what: string): ApiError {
  return new ApiError(404, `No such ${what}.`)
}

/** What was found; null and undefined throw the 404. */
export function orNotFound<Found>(found: Found, what: string): NonNullable<Found> {
  if (found === null || found === undefined) throw notFound(what)
  return found
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message)
}

/** A 409 for a service that the instance cannot use: nobody has set its keys, or the instance has hidden it. */
export function serviceNotEnabled(reason: 'noKeys' | 'hidden'): ApiError {
  if (reason === 'noKeys') return conflict('This service is not enabled here: its keys are not set.')
  return conflict('This service is not enabled here: it is hidden in the settings of the instance.')
}

/** `retryAfterSeconds` is rounded up to whole seconds, at least one. */
export function tooManyRequests(retryAfterSeconds: number, message = 'Too many requests.'): ApiError {
  return new ApiError(429, message, { headers: { 'retry-after': wholeSeconds(retryAfterSeconds) } })
}

export function unavailable(retryAfterSeconds = 5, cause?: unknown, message = 'The service cannot answer now.'): ApiError {
  return new ApiError(503, message, { headers: { 'retry-after': wholeSeconds(retryAfterSeconds) }, cause })
}

function wholeSeconds(seconds: number): string {
  return String(Math.max(1, Math.ceil(seconds)))
}
