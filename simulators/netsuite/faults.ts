import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 CONCURRENCY_LIMIT_EXCEEDED without Retry-After',
  throttleAs400: 'API: 400 SSS_REQUEST_LIMIT_EXCEEDED',
  unavailable: 'API: 503',
  gatewayTimeout: 'API: 504',
  requestTimeout: 'API: 408',
  ...BODY_FAULTS,
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 INVALID_LOGIN although the token is valid',
  forbidden: 'API: 403 INSUFFICIENT_PERMISSION',
  badQuery: 'API: 400 INVALID_PARAMETER',
  revoked: 'API and refresh: an administrator has revoked the token',
  wrongEntity: 'consent: another account than the selected one is returned',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'query for accounts: unknown enum values, a wrong type, missing fields, nulls',
  repeatPage: 'query for accounts or lines beyond the first page: repeats the previous page',
  duplicateIds: 'query for accounts or lines: some rows twice',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
