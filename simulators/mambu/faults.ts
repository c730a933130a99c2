/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the API key is refused although it is valid',
  revoked: 'data: the API key was revoked permanently',
  forbidden: 'data: the permission to read is gone',
  wrongHolder: 'client or group: the ID was given to another one',
  repeatPage: 'lists beyond the first page: repeats the previous page',
  shrunk: 'lists beyond the first page: the total is one less',
  schemaDrift: 'deposits: unknown enum values, a wrong type, a key only',
} as const
export type FaultName = keyof typeof FAULTS
