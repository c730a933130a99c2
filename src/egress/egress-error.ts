/**
 * Failure of a request. `unreachable` covers blocked by us, refused by the network and unknown names alike, so that
 * responses cannot be used to scan a network; only `cause`, which is for the operator's log, tells them apart.
 * `notListed` and `notEncrypted` say nothing about the network: they depend on the operator's settings alone.
 */
export type EgressFailure = 'unreachable' | 'timeout' | 'cut' | 'tooLarge' | 'cancelled' | 'closed' | 'notListed' | 'notEncrypted'

const TEXTS: Record<EgressFailure, string> = {
  unreachable: 'the address could not be reached',
  timeout: 'no complete answer in time',
  cut: 'the connection broke off',
  tooLarge: 'the answer is too large',
  cancelled: 'the request was cancelled',
  notListed: 'the host is not among the destinations that the operator allows (EGRESS_ALLOWED_HOSTS)',
  notEncrypted: 'the address is not encrypted, as the operator requires (REQUIRE_TLS)',
  closed: 'the deployment is a restored copy that is paused, and calls nobody',
}

/**
 * Failed request. The message is one of eight fixed texts and `cause` at most a name and a code (`Error ECONNREFUSED`):
 * neither contains any part of URL, headers or bodies.
 * NOTE: errors of Node.js and undici do contain such parts (`input`, `data`), so they never become the cause
 * themselves.
 */
export class EgressError extends Error {
  readonly failure: EgressFailure

  constructor(failure: EgressFailure, error?: unknown) {
    super(TEXTS[failure], error === undefined ? undefined : { cause: nameOf(error) })
    this.name = 'EgressError'
    this.failure = failure
  }
}

/** Name and code of a network error. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  return `${error.name}${code}`
}
