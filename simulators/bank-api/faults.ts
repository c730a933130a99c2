/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 with Retry-After: 30',
  throttleBare: 'API: 429 without Retry-After',
  throttleWord: 'API: 400 with the bank’s own word for too many calls',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  truncated: 'API: truncated JSON',
  unauthorized: 'API: 401 although the token is valid',
  forbidden: 'API: 403, the contract does not include it',
  repeatPage: 'lists: each page after the first repeats the previous one',
  otherHost: 'lists with links: the next page is at another host',
  noDetails: 'details of one account: 404',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429 with Retry-After: 45',
  invalidClient: 'token endpoint: the operator’s keys are refused',
} as const
export type FaultName = keyof typeof FAULTS
