import { TOKEN_FAULTS } from '../kit/common-faults.ts'

/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  throttle: 'API: 429 without Retry-After',
  retryAfter: 'API: 429 of the gateway, with Retry-After: 30',
  unavailable: 'API: 503',
  html: 'API: a page of HTML with 200',
  empty: 'API: 200 without a body',
  errorBody: 'API: 200 with a list of errors',
  slow: 'API: held until release()',
  unauthorized: 'API: 401 although the token is valid',
  noSubscription: 'API: 401, the subscription of the business has ended',
  revoked: 'API and refresh: the authorization has ended, the access token included',
  noBusiness: 'businesses: the user has access to none',
  closedSettings: 'financial settings: 403, the user’s role gives no access',
  closedJournals: 'journals: 403, the user’s role gives no access',
  truncated: 'lists: truncated JSON',
  huge: 'lists: a body of 25 MB',
  noEnvelope: 'lists: a bare list, as the Swagger has it',
  endsEarly: 'lists: a first page that calls itself the last',
  repeatPage: 'lists, beyond the first page: repeats the previous page',
  duplicateIds: 'ledger accounts: some accounts twice',
  schemaDrift: 'ledger accounts: unknown enum values, a wrong type, missing fields, nulls',
  vanished: 'ledger accounts: an empty list',
  wrongEntity: 'consent: another user signs in than the selected one',
  lostRefresh: 'refresh: the token is rotated, then the connection drops',
  ...TOKEN_FAULTS,
} as const
export type FaultName = keyof typeof FAULTS
