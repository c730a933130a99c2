/**
 * Why a request came to nothing. `unreachable` covers refused by us, refused by the network and unknown names alike, so that nobody
 * can scan a network by comparing answers; only `cause`, which is for the operator's log, tells them apart.
 */
export type EgressFailure = 'unreachable' | 'timeout' | 'cut' | 'tooLarge' | 'cancelled'

const TEXTS: Record<EgressFailure, string> = {
  unreachable: 'the address could not be reached',
  timeout: 'no complete answer in time',
  cut: 'the connection broke off',
  tooLarge: 'the answer is too large',
  cancelled: 'the request was cancelled',
}

/**
 * A failed request. The message is one of five fixed texts and `cause` at most a name and a code (`Error ECONNREFUSED`): neither holds
 * a part of the URL, the headers or the bodies.
 * NOTE: errors of Node.js and undici do hold such parts (`input`, `data`), so they never become the cause themselves.
 */
export class EgressError extends Error {
  readonly failure: EgressFailure

  constructor(failure: EgressFailure, error?: unknown) {
    super(TEXTS[failure], error === undefined ? undefined : { cause: nameOf(error) })
    this.name = 'EgressError'
    this.failure = failure
  }
}

/** Name and code of an error of the network. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  return `${error.name}${code}`
}
