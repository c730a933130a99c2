/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the login is refused although it is valid',
  revoked: 'data and token: the user was disabled permanently',
  forbidden: 'data: the permission to read is gone',
  wrongClient: 'client: another database was restored in its place',
  gone: 'details of one account: 404',
  repeatPage: 'search of movements beyond the first page: repeats the previous page',
  schemaDrift: 'details: unknown enum values, a wrong type, a number only',
} as const
export type FaultName = keyof typeof FAULTS
