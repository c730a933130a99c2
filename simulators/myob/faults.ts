import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 without Retry-After',
  throttledBefore: 'API: 403 RateLimitError, the older way',
  dayIsOver: 'API: 403 RateLimitError: the daily calls are used up',
  keyIsOff: 'API: 403 DeveloperInactive: the app is disabled',
  retryAfter: 'API: 429 with Retry-After: 12',
  unavailable: 'API: 503',
  gatewayTimeout: 'API: 504 in HTML, as for big files',
  ...BODY_FAULTS,
  errorBody: 'API: 200 with an error',
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 although the token is valid',
  forbidden: 'API: 403 AccessDenied',
  revoked: 'API and refresh: the administrator has removed the app',
  wrongEntity: 'consent: another business than the selected one is shared',
  repeatPage: 'lists beyond the first page: repeats the previous page',
  lostPage: 'lists: the last rows are missing although Count has them',
  duplicateIds: 'lists: some rows twice',
  schemaDrift: 'accounts: unknown enum values, a wrong type, missing fields, nulls',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
