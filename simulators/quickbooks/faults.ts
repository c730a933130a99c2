import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 ThrottleExceeded without Retry-After',
  unavailable: 'API: 503',
  ...BODY_FAULTS,
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 401 although the token is valid',
  revoked: 'API and refresh: the owner has ended the authorization',
  wrongEntity: 'consent: another company than the selected one is connected',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  schemaDrift: 'account query: unknown enum values, a wrong type, missing fields, nulls',
  repeatPage: 'query beyond the first page: repeats the previous page',
  duplicateIds: 'account query: some accounts twice',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
