import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 Application_TooManyRequests without Retry-After',
  throttleWithWait: 'API: 429 with Retry-After: 17',
  unavailable: 'API: 503, the queue is too long',
  gatewayTimeout: 'API: 504',
  operationTimeout: 'API: 408 after eight minutes',
  ...BODY_FAULTS,
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 although the token is valid',
  forbidden: 'API: 403, a permission is missing',
  companyGone: 'API: 404, the company was deleted',
  revoked: 'API and refresh: an administrator has ended the authorization',
  wrongEntity: 'consent: another user than the one shown signs in',
  lostRefresh: 'refresh: new tokens are issued, then the connection drops',
  schemaDrift: 'list of accounts: unknown enum values, a wrong type, missing fields, nulls',
  repeatPage: 'any page of a list but the first: repeats the previous page',
  duplicateIds: 'any list: some rows twice',
  expiredLink: 'a page requested by $skiptoken: 400',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
