/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the API key is refused although it is good',
  revoked: 'data: the API key was taken back for good',
  forbidden: 'data: the permission to read is gone',
  wrongHolder: 'client or group: the ID was given to another one',
  repeatPage: 'lists beyond the first page: the page before once more',
  shrunk: 'lists beyond the first page: the total is one less',
  schemaDrift: 'deposits: unknown words, a wrong type, nothing but a key',
} as const
export type FaultName = keyof typeof FAULTS
