/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 with Retry-After: 30',
  throttleBare: 'API: 429 without Retry-After',
  throttleWord: 'API: 400 with the bank’s own word for too many calls',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  truncated: 'API: JSON that is cut off',
  unauthorized: 'API: 401 although the token is good',
  forbidden: 'API: 403, the contract does not open it',
  repeatPage: 'lists: pages beyond the first give the page before once more',
  otherHost: 'lists with links: the next page is said to be at another host',
  noDetails: 'details of one account: 404',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429 with Retry-After: 45',
  invalidClient: 'token endpoint: the operator’s keys are refused',
} as const
export type FaultName = keyof typeof FAULTS
