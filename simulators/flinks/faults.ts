/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  keysRefused: 'GenerateAuthorizeToken: 401 UNAUTHORIZED',
  tooMany: 'Authorize: 429 TOO_MANY_REQUESTS without Retry-After',
  invalidPassword: 'Authorize: 401 INVALID_PASSWORD',
  disabledLogin: 'Authorize: 401 DISABLED_LOGIN',
  newAccount: 'Authorize: 401 NEW_ACCOUNT',
  challenge: 'Authorize: 203, the bank asks a question',
  cardGone: 'Authorize: 401 INVALID_LOGIN, the login was deleted',
  retryLater: 'Authorize: 401 RETRY_LATER',
  aggregationError: 'Authorize: 500 AGGREGATION_ERROR',
  disabledInstitution: 'Authorize: 400 DISABLED_INSTITUTION',
  maintenance: 'Authorize: 400 MAINTENANCE',
  concurrent: 'Authorize: 400 CONCURRENT_SESSION',
  bodyStatus: 'Authorize: 200 whose body says 401 INVALID_PASSWORD',
  pending: 'GetAccountsDetail and its Async: 202, being prepared',
  pendingSummary: 'GetAccountsSummary and its Async: 202, being prepared',
  sessionExpired: 'GetAccountsDetail, GetAccountsSummary and their Async: 401 SESSION_NONEXISTENT',
  schemaDrift: 'GetAccountsDetail: unknown enum values, nulls, wrong types',
  emptyAccounts: 'GetAccountsSummary: no accounts',
} as const

export type FaultName = keyof typeof FAULTS
