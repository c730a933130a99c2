import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429, limit of the minute, Retry-After 27 s',
  throttleDay: 'API: 429, limit of the day, Retry-After 5 h',
  throttleConcurrent: 'API: 429, too many at a time, Retry-After 1 s',
  unavailable: 'API: 503 in HTML',
  offline: 'API: 503, the organisation is offline',
  internalError: 'API: 500 as a problem',
  ...BODY_FAULTS,
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 TokenExpired although the token is valid',
  revoked: 'API: the organisation is no longer connected; refresh: the authorization has ended',
  missingScope: 'API: 401 AuthorizationUnsuccessful',
  badRequest: 'API: 400 ValidationException',
  journalsRefused: 'Journals: 401 AuthorizationUnsuccessful, as for an app below the Advanced tier',
  roleRefused: 'Journals: 403, the user lacks the reporting role',
  manualJournalsRefused: 'ManualJournals: 401 AuthorizationUnsuccessful',
  wrongEntity: 'consent: another organisation than the selected one is connected',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'Accounts: unknown enum values, a wrong type, missing fields, nulls',
  repeatPage: 'journals of both kinds beyond the first page: repeats the previous page',
  duplicateIds: 'Accounts: some accounts twice',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
