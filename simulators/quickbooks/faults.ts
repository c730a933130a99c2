/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 ThrottleExceeded without Retry-After',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  truncated: 'API: truncated JSON',
  empty: 'API: 200 without a body',
  slow: 'API: held until release()',
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 although the token is valid',
  revoked: 'API and refresh: the owner has ended the authorization',
  wrongEntity: 'consent: another company than the selected one is connected',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'account query: unknown enum values, a wrong type, missing fields, nulls',
  repeatPage: 'query beyond the first page: repeats the previous page',
  duplicateIds: 'account query: some accounts twice',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429',
  tokenHtml: 'token endpoint: a page of HTML with 200',
  invalidClient: 'token endpoint: the app keys are refused',
} as const
export type FaultName = keyof typeof FAULTS
