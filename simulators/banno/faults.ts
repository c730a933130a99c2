/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 with Retry-After: 30',
  throttleBare: 'API: 429 without Retry-After',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  truncated: 'API: JSON that is cut off',
  unauthorized: 'API: 401 although the token is good',
  forbidden: 'API: 403, a scope is missing or the person lost the account',
  revoked: 'API and refresh: the person has removed the app',
  repeatPage: 'transactions: pages beyond the first give the page before once more',
  taskNeverEnds: 'fetch: the task goes on for ever',
  wrongPerson: 'userinfo: another person than the identity token names',
  wrongNonce: 'token endpoint: the identity token answers another request',
  wrongAudience: 'token endpoint: the identity token is for another app',
  keepsRefreshToken: 'refresh: no new refresh token comes along',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429 with Retry-After: 45',
  tokenHtml: 'token endpoint: a page of HTML with 200',
  invalidClient: 'token endpoint: the app keys are refused',
} as const
export type FaultName = keyof typeof FAULTS
