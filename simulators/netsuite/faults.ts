/** Faults by name and what each does to the next fitting request. */
const FAULTS = {
  throttle: 'API: 429 CONCURRENCY_LIMIT_EXCEEDED without Retry-After',
  throttleAs400: 'API: 400 SSS_REQUEST_LIMIT_EXCEEDED',
  unavailable: 'API: 503',
  gatewayTimeout: 'API: 504',
  requestTimeout: 'API: 408',
  html: 'API: a page of HTML with 200',
  truncated: 'API: JSON that is cut off',
  empty: 'API: 200 without a body',
  slow: 'API: held until release()',
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 INVALID_LOGIN although the token is good',
  forbidden: 'API: 403 INSUFFICIENT_PERMISSION',
  badQuery: 'API: 400 INVALID_PARAMETER',
  revoked: 'API and refresh: an administrator has revoked the token',
  wrongEntity: 'consent: another account than the one chosen comes back',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'query for accounts: unknown words, a wrong type, missing fields, nulls',
  repeatPage: 'query for accounts or lines beyond the first page: the page before once more',
  duplicateIds: 'query for accounts or lines: some rows twice',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429',
  tokenHtml: 'token endpoint: a page of HTML with 200',
  invalidClient: 'token endpoint: the app keys are refused',
} as const
export type FaultName = keyof typeof FAULTS

export class ArmedFaults {
  readonly #left = new Map<string, number>()

  arm(name: string, times: number): void {
    if (!Object.hasOwn(FAULTS, name)) throw new Error(`no fault "${name}"; there are: ${Object.keys(FAULTS).join(', ')}`)
    this.#left.set(name, (this.#left.get(name) ?? 0) + times)
  }

  clear(): void {
    this.#left.clear()
  }

  /** Whether the fault is armed; uses it up once. */
  take(name: FaultName): boolean {
    const left = this.#left.get(name) ?? 0
    if (left > 0) this.#left.set(name, left - 1)
    return left > 0
  }
}
