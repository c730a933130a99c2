import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 in the shape of the account routes, without Retry-After',
  retryAfter: 'API: 429 in the shape of the business routes, with Retry-After: 30',
  unavailable: 'API: 503',
  ...BODY_FAULTS,
  errorBody: 'API: 200 with an error of the account routes',
  huge: 'API: a body of 40 MB',
  unauthorized: 'API: 401 although the token is valid',
  forbidden: 'API: 403, the app lacks a scope',
  reportForbidden: 'report of the accounts: 403, the login may not read reports',
  revoked: 'API and refresh: the owner has ended the authorization',
  noBusiness: 'identity: the user belongs to no business',
  wrongEntity: 'consent: another user signs in than the selected one',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'accounts: unknown enum values, a wrong type, missing fields, nulls',
  duplicateIds: 'accounts: some accounts twice',
  paged: 'accounts: only half of them, called page 1 of 2',
  vanished: 'accounts: an empty list',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
