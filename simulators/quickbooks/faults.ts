/** Faults by name and what each does to the next fitting request. */
const FAULTS = {
  throttle: 'API: 429 ThrottleExceeded without Retry-After',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  truncated: 'API: JSON that is cut off',
  empty: 'API: 200 without a body',
  slow: 'API: held until release()',
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 although the token is good',
  revoked: 'API and refresh: the owner has ended the authorization',
  wrongEntity: 'consent: another company than the one chosen is connected',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'account query: unknown words, a wrong type, missing fields, nulls',
  repeatPage: 'query beyond the first page: the page before once more',
  duplicateIds: 'account query: some accounts twice',
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
