/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  tokenExpired: 'API: 401 with code 10023',
  keyRefused: 'any: 401 in plain text, the app key is not valid',
  partnerRefused: 'authentication: 401 with code 10001',
  partnerLocked: 'authentication: 401 with code 24302',
  limitReached: 'data: 429 without Retry-After',
  customerGone: 'data: 404 with code 14001',
  accountGone: 'transactions: 404 with code 38003',
  status102: 'accounts of a login: aggregation status 102, the bank cannot be reached',
  status103: 'accounts of a login: aggregation status 103, wrong credentials',
  status108: 'accounts of a login: aggregation status 108, the bank needs an action of the owner',
  status109: 'accounts of a login: aggregation status 109, the bank needs an action of the owner',
  status185: 'accounts of a login: aggregation status 185, a question of the bank is open',
  status187: 'accounts of a login: aggregation status 187, a question of the bank was answered wrongly',
  status931: 'accounts of a login: aggregation status 931',
  status936: 'accounts of a login: aggregation status 936',
  status940: 'accounts of a login: aggregation status 940',
  status948: 'accounts of a login: aggregation status 948, the consent has ended',
  status977: 'accounts of a login: aggregation status 977, the bank accepts no more calls',
  oneFails: 'accounts of a login: aggregation status 102 for the first account only',
  unread: 'accounts of a login: not read for the first time yet',
  slowReading: 'refresh: 503 while the bank is still being read',
  repeatPage: 'transactions beyond the first page: repeats the previous page',
  lostPage: 'transactions: more is promised, but nothing returned',
  schemaDrift: 'accounts of a login and transactions: unknown enum values, nulls, wrong types',
} as const

export type FaultName = keyof typeof FAULTS
