import { BODY_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429, code 44, calls of the minute',
  throttleDay: 'API: 429, code 45, calls of the day',
  throttleConcurrent: 'API: 429, code 1070, too many at a time',
  throttleOdd: 'API: code 44 under status 400',
  unavailable: 'API: 503 in HTML',
  internalError: 'API: 500, code 5',
  ...BODY_FAULTS,
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401, code 57, although the token is valid',
  invalidToken: 'API: 401, code 14',
  errorInSuccess: 'API: status 200 with a code that is not 0',
  revoked: 'API and refresh: the user has ended the authorization',
  journalsRefused: 'journals: 401, code 57: the user’s role gives no access',
  wrongEntity: 'organizations: only one of another user',
  lostRefresh: 'refresh: the connection drops instead of an answer',
  schemaDrift: 'accounts: unknown enum values, a wrong type, missing fields, nulls',
  repeatPage: 'lists beyond the first page: the previous page, under the requested number',
  wrongPage: 'lists beyond the first page: the first page under its own number',
  duplicateIds: 'accounts: some accounts twice',
  noPageContext: 'lists: no page_context',
  tokenUnavailable: 'token endpoint: 503',
  tokenThrottled: 'token endpoint: 400 Access Denied',
  tokenHtml: 'token endpoint: a page of HTML with 200',
  invalidClient: 'token endpoint: the app keys are refused, under status 200',
} as const
export type FaultName = keyof typeof FAULTS
