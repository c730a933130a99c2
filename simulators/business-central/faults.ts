/** Faults by name and what each does to the next fitting request. */
const FAULTS = {
  throttle: 'API: 429 Application_TooManyRequests without Retry-After',
  throttleWithWait: 'API: 429 with Retry-After: 17',
  unavailable: 'API: 503, the queue is too long',
  gatewayTimeout: 'API: 504',
  operationTimeout: 'API: 408 after eight minutes',
  html: 'API: a page of HTML with 200',
  truncated: 'API: JSON that is cut off',
  empty: 'API: 200 without a body',
  slow: 'API: held until release()',
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 although the token is good',
  forbidden: 'API: 403, a permission is missing',
  companyGone: 'API: 404, the company was deleted',
  revoked: 'API and refresh: an administrator has ended the authorization',
  wrongEntity: 'consent: another person than the one shown signs in',
  lostRefresh: 'refresh: new tokens are made, then the connection drops',
  schemaDrift: 'list of accounts: unknown words, a wrong type, missing fields, nulls',
  repeatPage: 'any page of a list but the first: the page before once more',
  duplicateIds: 'any list: some rows twice',
  expiredLink: 'a page asked for by $skiptoken: 400',
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
