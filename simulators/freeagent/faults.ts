import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 in plain text with Retry-After: 30',
  throttleBare: 'API: 429 in plain text without Retry-After',
  unavailable: 'API: 503',
  ...BODY_FAULTS,
  errorBody: 'API: 200 with an error',
  huge: 'API: a body of 40 MB',
  unauthorized: 'API: 401 although the token is valid',
  forbidden: 'API: 403, the access level is too low',
  revoked: 'API and refresh: the user has removed the app',
  noCompany: 'company: 404',
  lowLevel: 'user: the access level 5, "Bills"',
  wrongEntity: 'consent: another user signs in than the selected one',
  missingGroup: 'categories: without the general ones',
  duplicateIds: 'categories: some of them twice; transactions: repeats some of the previous page',
  schemaDrift: 'categories: unknown codes, a wrong type, missing fields, nulls',
  repeatPage: 'pages beyond the first: repeats the previous page',
  lostPage: 'pages beyond the first: nothing, although more follow',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
