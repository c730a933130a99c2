/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
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
