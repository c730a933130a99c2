import { BODY_FAULTS, TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 200 with an error of code THROTTLED',
  throttledStatus: 'API: 429 in plain text with Retry-After: 20',
  misleadingStatus: 'API: 429 whose body says UNAUTHENTICATED',
  unavailable: 'API: 503',
  internalError: 'API: 200 with an error of code INTERNAL_SERVER_ERROR and data that is null',
  partial: 'API: 200 with half of the data and an error',
  ...BODY_FAULTS,
  huge: 'API: a body of 25 MB',
  unauthorized: 'API: 200 with UNAUTHENTICATED although the token is valid',
  revoked: 'API and refresh: the owner has ended the authorization',
  closed: 'API: the token has no access to the business',
  noBusiness: 'identity: the user has no business',
  wrongEntity: 'consent: another business than the selected one is shared',
  repeatPage: 'accounts beyond the first page: the previous page, under the requested number',
  lostPage: 'accounts: an empty page in the middle',
  duplicateIds: 'accounts: some accounts twice',
  schemaDrift: 'accounts: unknown enum values, a wrong type, missing fields, nulls',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  lapsed: 'token endpoint: 403, the business no longer pays for Wave Pro',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
