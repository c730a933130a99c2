/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 with Retry-After: 30',
  throttleBare: 'API: 429 without Retry-After',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  truncated: 'API: truncated JSON',
  unauthorized: 'API: 401 although the token is valid',
  forbidden: 'API: 403, a scope is missing or the user lost the account',
  revoked: 'API and refresh: the user has removed the app',
  repeatPage: 'transactions: each page after the first repeats the previous one',
  taskNeverEnds: 'fetch: the task never ends',
  wrongPerson: 'userinfo: another user than the identity token names',
  wrongNonce: 'token endpoint: the identity token answers another request',
  wrongAudience: 'token endpoint: the identity token is for another app',
  keepsRefreshToken: 'refresh: no new refresh token is returned',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 429 with Retry-After: 45',
  tokenHtml: 'token endpoint: a page of HTML with 200',
  invalidClient: 'token endpoint: the app keys are refused',
} as const
export type FaultName = keyof typeof FAULTS
