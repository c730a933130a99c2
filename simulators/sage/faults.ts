/** Faults by name and what each does to the next fitting request. */
const FAULTS = {
  throttle: 'API: 429 without Retry-After',
  retryAfter: 'API: 429 of the gateway, with Retry-After: 30',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  empty: 'API: 200 without a body',
  errorBody: 'API: 200 with a list of errors',
  slow: 'API: held until release()',
  unauthorized: 'API: 401 although the token is good',
  noSubscription: 'API: 401, the subscription of the business has ended',
  revoked: 'API and refresh: the authorization has ended, the access token included',
  noBusiness: 'businesses: the person can open none',
  closedSettings: 'financial settings: 403, the role of the person does not open them',
  closedJournals: 'journals: 403, the role of the person does not open them',
  truncated: 'lists: JSON that is cut off',
  huge: 'lists: a body of 25 MB',
  noEnvelope: 'lists: a bare list, as the Swagger has it',
  endsEarly: 'lists: a first page that calls itself the last',
  repeatPage: 'lists, beyond the first page: the page before once more',
  duplicateIds: 'ledger accounts: some accounts twice',
  schemaDrift: 'ledger accounts: unknown words, a wrong type, missing fields, nulls',
  vanished: 'ledger accounts: an empty list',
  wrongEntity: 'consent: another person signs in than the one chosen',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
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
