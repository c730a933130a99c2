/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the login is refused although it is good',
  revoked: 'data and token: the user was disabled for good',
  forbidden: 'data: the permission to read is gone',
  wrongClient: 'client: another database was restored in its place',
  gone: 'details of one account: 404',
  repeatPage: 'search of movements beyond the first page: the page before once more',
  schemaDrift: 'details: unknown words, a wrong type, nothing but a number',
} as const
export type FaultName = keyof typeof FAULTS
