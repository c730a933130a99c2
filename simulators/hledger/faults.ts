/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'any: the login is refused although it is valid',
  revoked: 'any: the login was revoked permanently',
  forbidden: 'data: the server was started without the right to view',
} as const
export type FaultName = keyof typeof FAULTS
